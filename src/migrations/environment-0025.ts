import { Migration } from "@mikro-orm/migrations";

/** Failed deliveries by their endpoint, for sending them again. */
export class Environment0025 extends Migration {
  up(): void {
    this.addSql(
      `CREATE INDEX webhook_delivery_failed ON webhook_delivery (tenant_id, endpoint_id, id) WHERE status = 'failed'`,
    );
  }
}
