import { Migration } from "@mikro-orm/migrations";

/** A key's expiry and addresses, and the bounds of a core token. */
export class Identity0007 extends Migration {
  up(): void {
    this.addSql("ALTER TABLE api_key ADD COLUMN expires_at timestamptz");
    this.addSql("ALTER TABLE api_key ADD COLUMN addresses text[] NOT NULL DEFAULT '{}'");
    this.addSql(`ALTER TABLE core_token ADD COLUMN tenant_id text COLLATE "C" REFERENCES tenant`);
    this.addSql("ALTER TABLE core_token ADD COLUMN mode text CHECK (mode IN ('live', 'test'))");
    this.addSql("ALTER TABLE core_token ADD COLUMN is_gateway boolean NOT NULL DEFAULT false");
  }
}
