import { Migration } from "@mikro-orm/migrations";

/** Open callbacks by their account, for the bound on their number. */
export class Environment0024 extends Migration {
  up(): void {
    this.addSql(
      `CREATE INDEX provider_callback_open ON provider_callback (tenant_id, account_id) WHERE due_at IS NOT NULL`,
    );
  }
}
