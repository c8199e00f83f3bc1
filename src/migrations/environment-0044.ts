import { Migration } from "@mikro-orm/migrations";

/** When a charge's provider was last asked because its payer wanted to know: it is not asked again at once. */
export class Environment0044 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE charge ADD COLUMN payer_asked_at timestamptz`);
  }
}
