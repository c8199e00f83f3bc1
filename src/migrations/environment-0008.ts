import { Migration } from "@mikro-orm/migrations";

/** The submission id of an endpoint, which detects a repeated creation. */
export class Environment0008 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE webhook_endpoint ADD COLUMN once text COLLATE "C"`);
    this.addSql("CREATE UNIQUE INDEX webhook_endpoint_once ON webhook_endpoint (tenant_id, once)");
  }
}
