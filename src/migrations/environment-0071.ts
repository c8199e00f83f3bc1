import { Migration } from "@mikro-orm/migrations";

/** What the sandbox takes of a charge, in centavos; null: nothing. */
export class Environment0071 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE sandbox_charge ADD COLUMN fee_minor bigint CHECK (fee_minor > 0)`);
  }
}
