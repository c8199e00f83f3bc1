import { Migration } from "@mikro-orm/migrations";

/** Accounts whose callbacks carry a user and a password. */
export class Environment0067 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE provider_account
      DROP CONSTRAINT provider_account_callback_proof_check,
      ADD CONSTRAINT provider_account_callback_proof_check
        CHECK (callback_proof IN ('hmac', 'mtls', 'token', 'signature', 'basic')) NOT VALID`);
    this.addSql("ALTER TABLE provider_account VALIDATE CONSTRAINT provider_account_callback_proof_check");
  }
}
