import { Migration } from "@mikro-orm/migrations";

/**
 * When a provider refused a refund, and how often it was not found there since. A former release that runs beside this
 * one leaves both as they are.
 */
export class Environment0023 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE refund
      ADD COLUMN refused_at timestamptz,
      ADD COLUMN absence_count int NOT NULL DEFAULT 0 CHECK (absence_count >= 0)`);
  }
}
