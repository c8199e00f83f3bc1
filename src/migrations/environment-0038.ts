import { Migration } from "@mikro-orm/migrations";

/** When a charge was seen withdrawn: it is looked at rarely then. The charges that wait for payers, by their account. */
export class Environment0038 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE charge ADD COLUMN removed_at timestamptz`);
    this.addSql(`CREATE INDEX charge_on_page ON charge (tenant_id, account_id, expires_at)
      WHERE is_open AND account_id IS NOT NULL AND (card_style = 'redirect' OR card_style IS NULL)`);
  }
}
