import { Migration } from "@mikro-orm/migrations";

/**
 * The index by which what moved a merchant's balance is listed, newest first. It is built beside the books' writes, for
 * which it must not be in a transaction: what an interrupted build left is removed first.
 */
export class Environment0079 extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  up(): void {
    // It waits for every transaction that began before, such as a backup's.
    this.addSql("SET lock_timeout = 0");
    this.addSql("DROP INDEX CONCURRENTLY IF EXISTS ledger_entry_of_merchant");
    this.addSql(`CREATE INDEX CONCURRENTLY ledger_entry_of_merchant ON ledger_entry (tenant_id, booked_at, payment_id)
      WHERE kind IN ('payment', 'settlement', 'refund', 'return', 'return_reversal')`);
  }
}
