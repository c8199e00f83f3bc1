import { Migration } from "@mikro-orm/migrations";

/**
 * What a link says to a payer who has paid, and where it leads; and how often a payment's receipt was sent by e-mail. Links
 * and charges of a former release have none.
 */
export class Environment0074 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE payment_link ADD COLUMN success_url text, ADD COLUMN success_message text`);
    this.addSql(`ALTER TABLE charge ADD COLUMN receipt_mail_count int`);
  }
}
