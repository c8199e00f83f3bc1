import { Migration } from "@mikro-orm/migrations";

/** Deliveries that wait are found endpoint by endpoint, and an endpoint's in the order of their time. */
export class Environment0063 extends Migration {
  up(): void {
    this.addSql(`CREATE INDEX webhook_delivery_waiting ON webhook_delivery (tenant_id, endpoint_id, next_attempt_at)
      WHERE status = 'pending'`);
  }
}
