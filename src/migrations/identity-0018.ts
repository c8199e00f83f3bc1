import { Migration } from "@mikro-orm/migrations";

/**
 * Whose turn an e-mail that waits goes in, the one-time link by whose end it is dropped, and whether it goes before all
 * others. Earlier releases write none of it.
 */
export class Identity0018 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE mail ADD COLUMN tenant_id text, ADD COLUMN link_id text,
      ADD COLUMN is_first boolean NOT NULL DEFAULT false`);
    this.addSql("CREATE INDEX mail_link ON mail (link_id) WHERE link_id IS NOT NULL");
  }
}
