import { Migration } from "@mikro-orm/migrations";

/** The payments of a link are found without the tenant's others: its events are theirs. */
export class Environment0062 extends Migration {
  up(): void {
    this.addSql(`CREATE INDEX payment_of_link ON payment (tenant_id, link_id) WHERE link_id IS NOT NULL`);
  }
}
