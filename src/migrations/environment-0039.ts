import { Migration } from "@mikro-orm/migrations";

/**
 * When the request for a refund may have left for a provider that has no idempotency key, and what of a refund or return
 * could not be booked. A former release that runs beside this one notes no time, so that its rows count as sent.
 */
export class Environment0039 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE refund
      ADD COLUMN sent_at timestamptz DEFAULT now(),
      ADD COLUMN unbooked_minor bigint NOT NULL DEFAULT 0 CHECK (unbooked_minor >= 0)`);
  }
}
