import { Migration } from "@mikro-orm/migrations";

/**
 * The index by which payments are found by the merchant's reference. It is built beside their writes, for which it must not
 * be in a transaction: what an interrupted build left is removed first.
 */
export class Environment0076 extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  up(): void {
    // It waits for every transaction that began before, such as a backup's.
    this.addSql("SET lock_timeout = 0");
    this.addSql("DROP INDEX CONCURRENTLY IF EXISTS payment_reference");
    this.addSql(`CREATE INDEX CONCURRENTLY payment_reference ON payment
      (tenant_id, reference, created_at DESC, id DESC) WHERE reference IS NOT NULL`);
  }
}
