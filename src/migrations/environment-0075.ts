import { Migration } from "@mikro-orm/migrations";

/** What a link asks its payer for besides `collect_fields`, each detail required or optional; of links before, nothing. */
export class Environment0075 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE payment_link ADD COLUMN payer_fields jsonb NOT NULL DEFAULT '{}'`);
  }
}
