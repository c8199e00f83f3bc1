import { Migration } from "@mikro-orm/migrations";

/** Accounts without a certificate, whose callbacks carry a secret in a header. */
export class Environment0030 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE provider_account
      ALTER COLUMN certificate_subject DROP NOT NULL,
      ALTER COLUMN certificate_not_after DROP NOT NULL,
      DROP CONSTRAINT provider_account_callback_proof_check,
      ADD CONSTRAINT provider_account_callback_proof_check
        CHECK (callback_proof IN ('hmac', 'mtls', 'token')) NOT VALID`);
    this.addSql("ALTER TABLE provider_account VALIDATE CONSTRAINT provider_account_callback_proof_check");
  }
}
