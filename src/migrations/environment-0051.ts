import { Migration } from "@mikro-orm/migrations";

/** The time of a link's cancellation, apart from its last change: a canceled link can be changed. */
export class Environment0051 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE payment_link ADD COLUMN canceled_at timestamptz`);
  }
}
