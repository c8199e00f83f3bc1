import { Migration } from "@mikro-orm/migrations";

/**
 * E-mails that wait to be sent, links with which users set a new password, who gets a digest, and the language in which
 * users read. The columns can be empty: earlier releases write none.
 */
export class Identity0017 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE mail (
      id text PRIMARY KEY,
      content_sealed text NOT NULL,
      created_at timestamptz NOT NULL,
      due_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL,
      attempt_count integer NOT NULL
    )`);
    this.addSql("CREATE INDEX mail_due ON mail (due_at, id)");
    this.addSql(`CREATE TABLE password_reset_request (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      email text NOT NULL,
      language text NOT NULL,
      created_at timestamptz NOT NULL
    )`);
    this.addSql(`CREATE TABLE password_reset (
      token_hash text PRIMARY KEY,
      user_id text NOT NULL REFERENCES "user" ON DELETE CASCADE,
      expires_at timestamptz NOT NULL
    )`);
    this.addSql("CREATE INDEX password_reset_user ON password_reset (user_id)");
    this.addSql("CREATE INDEX password_reset_expires ON password_reset (expires_at)");
    this.addSql(`CREATE TABLE digest (
      tenant_id text NOT NULL,
      user_id text NOT NULL,
      is_on boolean,
      look_at timestamptz NOT NULL,
      sent_at timestamptz,
      sent jsonb NOT NULL DEFAULT '{}',
      PRIMARY KEY (tenant_id, user_id),
      FOREIGN KEY (tenant_id, user_id) REFERENCES membership ON DELETE CASCADE
    )`);
    this.addSql('ALTER TABLE "user" ADD COLUMN language text');
  }
}
