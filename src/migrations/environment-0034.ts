import { Migration } from "@mikro-orm/migrations";

/** Cursors of the statements of card accounts, which are read from each account's beginning on. */
export class Environment0034 extends Migration {
  up(): void {
    this.addSql(`INSERT INTO provider_sweep (tenant_id, account_id, kind, swept_to, due_at, failure_count)
      SELECT tenant_id, id, kinds.kind, created_at, now(), 0
      FROM provider_account, unnest(ARRAY['received', 'day', 'returns']) AS kinds (kind)
      WHERE provider_account.kind = 'card' AND profile = 'asaas'
      ON CONFLICT DO NOTHING`);
  }
}
