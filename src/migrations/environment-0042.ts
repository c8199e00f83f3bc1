import { Migration } from "@mikro-orm/migrations";

/** The cards that issuers have refused for good, by the link that they were to pay. A hash is keyed, and of one link. */
export class Environment0042 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE refused_card (
      tenant_id text NOT NULL,
      link_id text NOT NULL,
      card_hash text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, link_id, card_hash)
    )`);
  }
}
