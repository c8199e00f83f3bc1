import { Migration } from "@mikro-orm/migrations";

/** Accounts at a bank on the service's own machine, which moves no real money; and answered callbacks, by their age. */
export class Environment0019 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE provider_account ADD COLUMN is_demo boolean NOT NULL DEFAULT false`);
    this.addSql(
      `CREATE INDEX provider_callback_answered ON provider_callback (created_at) WHERE due_at IS NULL`,
    );
  }
}
