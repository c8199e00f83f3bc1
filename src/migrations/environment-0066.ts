import { Migration } from "@mikro-orm/migrations";

/** The endToEndId of a PIX charge's money at a provider that has another id for it. */
export class Environment0066 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE charge ADD COLUMN end_to_end_id text`);
  }
}
