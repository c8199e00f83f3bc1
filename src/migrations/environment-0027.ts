import { Migration } from "@mikro-orm/migrations";

/** Callbacks of an account by their time, for the bounds on what it stores in a minute and what is kept of it. */
export class Environment0027 extends Migration {
  up(): void {
    this.addSql(
      `CREATE INDEX provider_callback_created ON provider_callback (tenant_id, account_id, created_at)`,
    );
  }
}
