import { Migration } from "@mikro-orm/migrations";

/**
 * A tenant's endpoints apart from those that it deleted. Rows of these stay for the log, and each event of the tenant would read all
 * of them.
 */
export class Environment0059 extends Migration {
  up(): void {
    this.addSql(
      `CREATE INDEX webhook_endpoint_current ON webhook_endpoint (tenant_id, id) WHERE deleted_at IS NULL`,
    );
    this.addSql(
      `CREATE INDEX webhook_endpoint_deleted ON webhook_endpoint (tenant_id, deleted_at) WHERE deleted_at IS NOT NULL`,
    );
  }
}
