import { Migration } from "@mikro-orm/migrations";

/** The indexes for the lists of links, quotes and sessions. */
export class Environment0006 extends Migration {
  up(): void {
    this.addSql(`CREATE INDEX payment_link_created ON payment_link (tenant_id, created_at DESC, id DESC)`);
    this.addSql(
      `CREATE INDEX payment_link_quote ON payment_link (tenant_id, quote_id) WHERE quote_id IS NOT NULL`,
    );
    this.addSql(`CREATE INDEX quote_created ON quote (tenant_id, created_at DESC, id DESC)`);
    this.addSql(`CREATE INDEX checkout_session_link
      ON checkout_session (tenant_id, link_id, created_at DESC, id DESC)`);
  }
}
