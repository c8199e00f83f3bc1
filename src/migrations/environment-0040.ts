import { Migration } from "@mikro-orm/migrations";

/**
 * When an account's provider is asked next whether its queue of callbacks runs, and since when it was found interrupted. An account
 * that a former release makes beside this one is asked about at once.
 */
export class Environment0040 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE provider_account
      ADD COLUMN callbacks_check_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN callbacks_interrupted_at timestamptz`);
    this.addSql(`CREATE INDEX provider_account_callbacks ON provider_account (callbacks_check_at)
      WHERE profile = 'asaas' AND state = 'active'`);
  }
}
