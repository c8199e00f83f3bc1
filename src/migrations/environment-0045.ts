import { Migration } from "@mikro-orm/migrations";

/** A part of a chargeback that could be booked only after money of another one had come back: a return of its own. */
export class Environment0045 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE refund ADD COLUMN rest_of text COLLATE "C"`);
  }
}
