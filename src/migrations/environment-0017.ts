import { Migration } from "@mikro-orm/migrations";

/**
 * Money that goes back: refunds and returns, and their entries in the books, of which a payment may have several. A
 * former release that runs beside this one writes entries without a source, and payments without a refund.
 */
export class Environment0017 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE payment
      ADD COLUMN refunded_minor bigint NOT NULL DEFAULT 0 CHECK (refunded_minor >= 0),
      ADD COLUMN refund_reserved_minor bigint NOT NULL DEFAULT 0 CHECK (refund_reserved_minor >= 0)`);
    this.addSql(`ALTER TABLE payment_exception
      ADD COLUMN refund_reserved_minor bigint NOT NULL DEFAULT 0 CHECK (refund_reserved_minor >= 0)`);
    this.addSql(`ALTER TABLE charge ADD COLUMN paid_at timestamptz`);
    // True: the request that stored the response has not given it to its caller yet, and may replace it.
    this.addSql(`ALTER TABLE idempotency ADD COLUMN is_awaited boolean NOT NULL DEFAULT false`);
    this.#refunds();
    this.#books();
  }

  #refunds(): void {
    this.addSql(`CREATE TABLE refund (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      exception_id text COLLATE "C",
      provider_payment_id text COLLATE "C",
      account_id text COLLATE "C",
      origin text NOT NULL CHECK (origin IN ('merchant', 'provider')),
      provider_return_id text COLLATE "C",
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      status text NOT NULL CHECK (status IN ('requested', 'processing', 'succeeded', 'failed')),
      reason text,
      failure_reason text,
      fee_rule text NOT NULL CHECK (fee_rule IN ('merchant', 'service')),
      before_minor bigint CHECK (before_minor >= 0),
      created_at timestamptz NOT NULL,
      updated_at timestamptz,
      check_at timestamptz NOT NULL,
      change_count int NOT NULL,
      PRIMARY KEY (tenant_id, id),
      FOREIGN KEY (tenant_id, payment_id) REFERENCES payment,
      FOREIGN KEY (tenant_id, exception_id) REFERENCES payment_exception,
      CHECK ((origin = 'provider') = (provider_return_id IS NOT NULL)),
      CHECK ((before_minor IS NOT NULL) = (status = 'succeeded' AND exception_id IS NULL))
    )`);
    this.addSql(`CREATE INDEX refund_payment ON refund (tenant_id, payment_id, id)`);
    this.addSql(`CREATE INDEX refund_due ON refund (check_at) WHERE status IN ('requested', 'processing')`);
    this.addSql(`CREATE UNIQUE INDEX refund_return
      ON refund (tenant_id, coalesce(account_id, ''), provider_payment_id, provider_return_id)
      WHERE provider_return_id IS NOT NULL`);
  }

  #books(): void {
    this.addSql(
      `ALTER TABLE ledger_line DROP CONSTRAINT ledger_line_tenant_id_payment_id_kind_fkey, DROP CONSTRAINT ledger_line_pkey`,
    );
    this.addSql(`ALTER TABLE ledger_entry
      DROP CONSTRAINT ledger_entry_pkey, DROP CONSTRAINT ledger_entry_kind_check,
      ADD COLUMN source_id text COLLATE "C" NOT NULL DEFAULT ''`);
    this.addSql(`ALTER TABLE ledger_entry
      ADD PRIMARY KEY (tenant_id, payment_id, kind, source_id),
      ADD CONSTRAINT ledger_entry_kind_check CHECK (kind IN ('payment', 'settlement', 'refund', 'return')),
      ADD CONSTRAINT ledger_entry_source_check CHECK ((kind IN ('refund', 'return')) = (source_id <> ''))`);
    this.addSql(`ALTER TABLE ledger_line ADD COLUMN source_id text COLLATE "C" NOT NULL DEFAULT ''`);
    this.addSql(`ALTER TABLE ledger_line
      ADD PRIMARY KEY (tenant_id, payment_id, kind, source_id, number),
      ADD FOREIGN KEY (tenant_id, payment_id, kind, source_id) REFERENCES ledger_entry`);
    this.addSql(`CREATE OR REPLACE FUNCTION require_balance() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM ledger_line
        WHERE tenant_id = NEW.tenant_id AND payment_id = NEW.payment_id AND kind = NEW.kind
          AND source_id = NEW.source_id
        GROUP BY currency HAVING sum(debit_minor) <> sum(credit_minor)
      ) THEN
        RAISE EXCEPTION 'the % entry of % does not balance', NEW.kind, NEW.payment_id USING ERRCODE = 'PL422';
      END IF;
      IF NOT EXISTS (
        SELECT FROM ledger_entry
        WHERE tenant_id = NEW.tenant_id AND payment_id = NEW.payment_id AND kind = NEW.kind
          AND source_id = NEW.source_id AND xmin = pg_current_xact_id()::xid
      ) THEN
        RAISE EXCEPTION 'the % entry of % is closed', NEW.kind, NEW.payment_id USING ERRCODE = 'PL422';
      END IF;
      RETURN NULL;
    END $$`);
  }
}
