import { Migration } from "@mikro-orm/migrations";

/** The charge of each callback that names one only and about which nothing was asked yet. */
export class Environment0056 extends Migration {
  up(): void {
    this.addSql(`CREATE INDEX provider_callback_awaited ON provider_callback (tenant_id, account_id, (refers_to[1]))
      WHERE due_at IS NOT NULL AND attempt_count = 0 AND cardinality(refers_to) = 1`);
  }
}
