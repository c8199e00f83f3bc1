import { Migration } from "@mikro-orm/migrations";

/**
 * When the money of a chargeback came back, and what had left the payment without it then. The constraint is validated
 * later, under a weaker lock. The first expected day of a card's money that is not settled. When an account's provider is asked next whether its queue of callbacks runs, and since when it was found interrupted. An account
 * that a former release makes beside this one is asked about at once.
 */
export class Environment0040 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE provider_account
      ADD COLUMN callbacks_check_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN callbacks_interrupted_at timestamptz`);
    this.addSql(`ALTER TABLE refund ADD COLUMN reversed_at timestamptz,
      ADD COLUMN reversed_before_minor bigint`);
    this.addSql(`ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_kind_check,
      ADD CONSTRAINT ledger_entry_kind_check CHECK (kind IN ('payment', 'settlement', 'refund', 'return',
        'return_reversal', 'receivable', 'provider_fee', 'anticipation', 'payout', 'chargeback', 'refund_deduction'))
        NOT VALID`);
    this.addSql("ALTER TABLE charge ADD COLUMN settlement_due_on date");
    this.addSql(`CREATE INDEX charge_settlement_overdue ON charge (settlement_due_on, tenant_id)
      WHERE settlement_due_on IS NOT NULL AND settlement_check_at IS NOT NULL`);
    this.addSql(`CREATE INDEX dispute_deadline ON dispute (respond_by) WHERE status = 'needs_response'`);
    this.addSql(`CREATE INDEX provider_account_callbacks ON provider_account (callbacks_check_at)
      WHERE profile = 'asaas' AND state = 'active'`);
  }
}
