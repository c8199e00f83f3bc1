import { Migration } from "@mikro-orm/migrations";

/** The submission id of a key, which detects a repeated creation. */
export class Identity0005 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE api_key ADD COLUMN once text COLLATE "C"`);
    this.addSql("CREATE UNIQUE INDEX api_key_once ON api_key (tenant_id, once)");
  }
}
