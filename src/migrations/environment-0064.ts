import { Migration } from "@mikro-orm/migrations";

/** When an exception's money is given back by itself. That of before is left to a person. */
export class Environment0064 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE payment_exception ADD COLUMN refund_at timestamptz`);
    this.addSql(
      `CREATE INDEX payment_exception_refund_at ON payment_exception (refund_at) WHERE refund_at IS NOT NULL`,
    );
  }
}
