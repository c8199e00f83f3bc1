import { Migration } from "@mikro-orm/migrations";

/** Disputes of a payment as a whole have no installment: 0. */
export class Environment0068 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE dispute
      DROP CONSTRAINT dispute_installment_check,
      ADD CONSTRAINT dispute_installment_check CHECK (installment BETWEEN 0 AND 99) NOT VALID`);
    this.addSql("ALTER TABLE dispute VALIDATE CONSTRAINT dispute_installment_check");
  }
}
