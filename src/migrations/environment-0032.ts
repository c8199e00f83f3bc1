import { Migration } from "@mikro-orm/migrations";

/** Paid card charges by the time at which their provider is asked next about their money, those of before too. */
export class Environment0032 extends Migration {
  up(): void {
    this.addSql(`UPDATE charge SET settlement_check_at = created_at
      WHERE account_id IS NOT NULL AND card_style IS NOT NULL AND provider_payment_id IS NOT NULL`);
    this.addSql(`CREATE INDEX charge_settlement_due ON charge (settlement_check_at)
      WHERE settlement_check_at IS NOT NULL`);
  }
}
