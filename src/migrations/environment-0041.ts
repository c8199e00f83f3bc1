import { Migration } from "@mikro-orm/migrations";

/** The returns of Pagar.me's accounts are read from now on, and once those of the last 400 days. */
export class Environment0041 extends Migration {
  up(): void {
    this.addSql("ALTER TABLE ledger_entry VALIDATE CONSTRAINT ledger_entry_kind_check");
    this.addSql(`INSERT INTO provider_sweep (tenant_id, account_id, kind, swept_to, due_at, failure_count)
      SELECT tenant_id, id, 'returns', now() - interval '400 days', now(), 0 FROM provider_account
      WHERE profile = 'pagarme' AND (state = 'active' OR retired_at > now() - interval '410 days')
      ON CONFLICT DO NOTHING`);
  }
}
