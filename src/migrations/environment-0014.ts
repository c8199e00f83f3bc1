import { Migration } from "@mikro-orm/migrations";

/** The payment that paid a session. It prevents that two payments of one payer on a campaign's link both succeed. */
export class Environment0014 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE checkout_session ADD COLUMN paid_payment_id text COLLATE "C"`);
  }
}
