import { Migration } from "@mikro-orm/migrations";

/** Payers' details can be erased, and are found by their age. */
export class Environment0037 extends Migration {
  up(): void {
    this.addSql("ALTER TABLE charge ADD COLUMN payer_erased_at timestamptz");
    this.addSql(`CREATE INDEX charge_payer ON charge (tenant_id, created_at)
      WHERE sealed_payer IS NOT NULL AND NOT is_open`);
  }
}
