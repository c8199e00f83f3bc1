import { Migration } from "@mikro-orm/migrations";

/** The index that finds due deliveries. */
export class Environment0011 extends Migration {
  up(): void {
    this.addSql(`CREATE INDEX webhook_delivery_due ON webhook_delivery (next_attempt_at, tenant_id, id)
      WHERE status = 'pending'`);
  }
}
