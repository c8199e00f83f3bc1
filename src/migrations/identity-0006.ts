import { Migration } from "@mikro-orm/migrations";

/** Several accounts with one address, browsers known to an account, and waits instead of account locks. */
export class Identity0006 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE "user" DROP CONSTRAINT user_email_key`);
    this.addSql(`CREATE INDEX user_email ON "user" (email)`);
    this.addSql("ALTER TABLE sign_in_attempt ADD COLUMN allowed_at bigint NOT NULL DEFAULT 0");
    this.addSql(`CREATE TABLE known_browser (
      user_id text COLLATE "C" NOT NULL REFERENCES "user",
      token_hash text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (user_id, token_hash)
    )`);
    this.addSql("CREATE INDEX known_browser_token ON known_browser (token_hash)");
  }
}
