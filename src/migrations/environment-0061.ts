import { Migration } from "@mikro-orm/migrations";

/** What of an account's statements was not read: of a former release's sweeps, nothing. */
export class Environment0061 extends Migration {
  up(): void {
    this.addSql("ALTER TABLE provider_sweep ADD COLUMN unread jsonb NOT NULL DEFAULT '[]'");
  }
}
