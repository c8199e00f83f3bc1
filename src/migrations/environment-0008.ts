import { Migration } from "@mikro-orm/migrations";

/** By what an endpoint's wish is known again when it is asked for twice. */
export class Environment0008 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE webhook_endpoint ADD COLUMN once text COLLATE "C"`);
    this.addSql("CREATE UNIQUE INDEX webhook_endpoint_once ON webhook_endpoint (tenant_id, once)");
  }
}
