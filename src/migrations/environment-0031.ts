import { Migration } from "@mikro-orm/migrations";

/**
 * What card providers say of their money: facts of installments, which are added to and never changed, their entries in
 * the books, and the contests of card holders. A former release that runs beside this one writes none of them, and its
 * check of the books calls entries of theirs wrong. The constraints are validated later, under a weaker lock.
 */
export class Environment0031 extends Migration {
  up(): void {
    this.#facts();
    this.#disputes();
    this.addSql(`ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_kind_check,
      DROP CONSTRAINT ledger_entry_source_check,
      ADD CONSTRAINT ledger_entry_kind_check CHECK (kind IN ('payment', 'settlement', 'refund', 'return', 'receivable',
        'provider_fee', 'anticipation', 'payout', 'chargeback', 'refund_deduction')) NOT VALID,
      ADD CONSTRAINT ledger_entry_source_check
        CHECK ((kind NOT IN ('payment', 'settlement')) = (source_id <> '')) NOT VALID`);
    this.addSql(`ALTER TABLE charge ADD COLUMN settlement_check_at timestamptz`);
  }

  #facts(): void {
    this.addSql(`CREATE TABLE receivable_fact (
      tenant_id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('receivable', 'provider_fee', 'anticipation', 'payout', 'chargeback',
        'refund_deduction')),
      installment int NOT NULL CHECK (installment BETWEEN 1 AND 99),
      number int NOT NULL CHECK (number > 0),
      account_id text COLLATE "C" NOT NULL,
      amount_minor bigint NOT NULL,
      on_day date,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, payment_id, kind, installment, number),
      FOREIGN KEY (tenant_id, payment_id) REFERENCES payment,
      CHECK (amount_minor <> 0 OR (kind = 'receivable' AND number > 1))
    )`);
    this.addSql(`CREATE INDEX receivable_fact_created ON receivable_fact (tenant_id, created_at)`);
    this.addSql(`CREATE TRIGGER receivable_fact_append_only BEFORE UPDATE OR DELETE ON receivable_fact
      FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
    this.addSql(`CREATE TRIGGER receivable_fact_no_truncate BEFORE TRUNCATE ON receivable_fact
      FOR EACH STATEMENT EXECUTE FUNCTION identity.refuse_change()`);
  }

  #disputes(): void {
    this.addSql(`CREATE TABLE dispute (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      provider_dispute_id text COLLATE "C" NOT NULL,
      installment int NOT NULL CHECK (installment BETWEEN 1 AND 99),
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      status text NOT NULL CHECK (status IN ('needs_response', 'under_review', 'won', 'lost')),
      reason text,
      opened_on date,
      respond_by date,
      created_at timestamptz NOT NULL,
      updated_at timestamptz,
      PRIMARY KEY (tenant_id, id),
      FOREIGN KEY (tenant_id, payment_id) REFERENCES payment
    )`);
    this.addSql(
      `CREATE UNIQUE INDEX dispute_provider ON dispute (tenant_id, account_id, provider_dispute_id)`,
    );
    this.addSql(`CREATE INDEX dispute_payment ON dispute (tenant_id, payment_id, id)`);
    this.addSql(`CREATE INDEX dispute_waiting ON dispute (tenant_id, id) WHERE status = 'needs_response'`);
  }
}
