import { Migration } from "@mikro-orm/migrations";

/** How often links were opened on a day. Nothing of a payer is kept. */
export class Environment0049 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE link_visits (
      tenant_id text COLLATE "C" NOT NULL,
      link_id text COLLATE "C" NOT NULL,
      day date NOT NULL,
      page_count bigint NOT NULL,
      session_count bigint NOT NULL,
      PRIMARY KEY (tenant_id, link_id, day)
    )`);
    this.addSql("CREATE INDEX link_visits_day ON link_visits (tenant_id, day)");
  }
}
