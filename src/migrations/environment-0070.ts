import { Migration } from "@mikro-orm/migrations";

/**
 * What providers state of accounts, what banks' files have, what our books say of the same, and how they match. The
 * release before knows none of it. Lines are kept as they came: only their matches change.
 */
export class Environment0070 extends Migration {
  up(): void {
    this.#bank();
    this.#statements();
    this.#books();
    this.#matches();
    this.#days();
    this.#keepLines();
  }

  #bank(): void {
    this.addSql(`CREATE TABLE bank_account (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      mapping json,
      account_id text COLLATE "C",
      path text CHECK (path IN ('transfer', 'settlement', 'line')),
      change_count int NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id),
      CHECK ((account_id IS NULL) = (path IS NULL))
    )`);
    this.addSql(`CREATE UNIQUE INDEX bank_account_of_account ON bank_account (tenant_id, account_id)
      WHERE account_id IS NOT NULL`);
    this.addSql(`CREATE TABLE bank_import (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      bank_account_id text COLLATE "C" NOT NULL,
      file_name text NOT NULL,
      sha256 text NOT NULL,
      imported_count int NOT NULL,
      known_count int NOT NULL,
      balance_day date,
      balance_minor bigint,
      imported_by text NOT NULL,
      imported_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id),
      FOREIGN KEY (tenant_id, bank_account_id) REFERENCES bank_account
    )`);
    this.addSql(`CREATE UNIQUE INDEX bank_import_file ON bank_import (tenant_id, bank_account_id, sha256)`);
    this.addSql(`CREATE TABLE bank_line (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      bank_account_id text COLLATE "C" NOT NULL,
      import_id text COLLATE "C" NOT NULL,
      day date NOT NULL,
      amount_minor bigint NOT NULL,
      currency text NOT NULL,
      text text NOT NULL,
      bank_id text COLLATE "C" NOT NULL,
      ordinal int NOT NULL,
      raw_sha256 text NOT NULL,
      match_id text COLLATE "C",
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE UNIQUE INDEX bank_line_known
      ON bank_line (tenant_id, bank_account_id, day, amount_minor, bank_id, ordinal)`);
    this.addSql(`CREATE INDEX bank_line_listed ON bank_line (tenant_id, bank_account_id, day, id)`);
    this.addSql(`CREATE INDEX bank_line_open ON bank_line (tenant_id, day) WHERE match_id IS NULL`);
    this.addSql(`CREATE INDEX bank_line_match ON bank_line (tenant_id, match_id) WHERE match_id IS NOT NULL`);
    this.addSql(`CREATE INDEX bank_line_amount ON bank_line (tenant_id, bank_account_id, amount_minor, day)
      WHERE match_id IS NOT NULL`);
  }

  #statements(): void {
    this.addSql(`CREATE TABLE statement_line (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('received', 'return', 'refund', 'fee', 'installment', 'anticipation',
        'chargeback', 'transfer', 'blocked', 'other')),
      provider_line_id text COLLATE "C" NOT NULL,
      day date NOT NULL,
      at timestamptz,
      amount_minor bigint NOT NULL,
      reference text COLLATE "C",
      end_to_end_id text COLLATE "C",
      provider_payment_id text COLLATE "C",
      installment int,
      settlement_id text COLLATE "C",
      text text NOT NULL,
      balance_minor bigint,
      raw_sha256 text NOT NULL,
      books_match_id text COLLATE "C",
      bank_match_id text COLLATE "C",
      PRIMARY KEY (tenant_id, account_id, kind, provider_line_id)
    )`);
    this.addSql(`CREATE INDEX statement_line_listed
      ON statement_line (tenant_id, account_id, day, kind, provider_line_id)`);
    this.addSql(`CREATE INDEX statement_line_open ON statement_line (tenant_id, day)
      WHERE books_match_id IS NULL AND kind <> 'transfer'`);
    this.addSql(
      `CREATE INDEX statement_line_open_payout ON statement_line (tenant_id, day) WHERE bank_match_id IS NULL`,
    );
    for (const column of ["books_match_id", "bank_match_id", ...NAMES, "settlement_id"]) {
      this.addSql(`CREATE INDEX statement_line_${column} ON statement_line (tenant_id, ${column})
        WHERE ${column} IS NOT NULL`);
    }
    this.addSql(`CREATE TABLE statement_day (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      day date NOT NULL,
      opening_minor bigint,
      closing_minor bigint,
      line_count int NOT NULL,
      lines_minor bigint NOT NULL,
      lines_sha256 text NOT NULL,
      is_complete boolean NOT NULL,
      read_at timestamptz,
      fault text,
      PRIMARY KEY (tenant_id, account_id, day)
    )`);
    this.addSql(`CREATE TABLE statement_reading (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      first_day date NOT NULL,
      due_at timestamptz NOT NULL,
      failure_count int NOT NULL,
      PRIMARY KEY (tenant_id, account_id)
    )`);
    this.addSql(`CREATE INDEX statement_reading_due ON statement_reading (due_at)`);
  }

  #books(): void {
    this.addSql(`CREATE TABLE contracted_fee (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      number int NOT NULL,
      kind text NOT NULL,
      brand text,
      installments_from int NOT NULL,
      installments_to int NOT NULL,
      percent_ppm bigint NOT NULL,
      fixed_minor bigint NOT NULL,
      PRIMARY KEY (tenant_id, account_id, number)
    )`);
    this.addSql(`CREATE TABLE book_line (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      day date NOT NULL,
      amount_minor bigint NOT NULL,
      payment_id text COLLATE "C",
      reference text COLLATE "C",
      end_to_end_id text COLLATE "C",
      provider_payment_id text COLLATE "C",
      installment int,
      due_on date NOT NULL,
      match_id text COLLATE "C",
      PRIMARY KEY (tenant_id, account_id, id)
    )`);
    this.addSql(`CREATE INDEX book_line_day ON book_line (tenant_id, account_id, day)`);
    this.addSql(`CREATE INDEX book_line_open ON book_line (tenant_id, day) WHERE match_id IS NULL`);
    for (const column of ["match_id", "payment_id", ...NAMES]) {
      this.addSql(
        `CREATE INDEX book_line_${column} ON book_line (tenant_id, ${column}) WHERE ${column} IS NOT NULL`,
      );
    }
    this.addSql(`CREATE TABLE reconciliation_run (
      tenant_id text COLLATE "C" PRIMARY KEY,
      due_at timestamptz NOT NULL,
      changed_from date,
      change_count int NOT NULL DEFAULT 0,
      books_read_to timestamptz NOT NULL,
      matched_to date,
      token text
    )`);
    this.addSql(`CREATE INDEX reconciliation_run_due ON reconciliation_run (due_at)`);
  }

  #matches(): void {
    this.addSql(`CREATE TABLE reconciliation_decision (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      leg text NOT NULL CHECK (leg IN ('books', 'bank')),
      reason text NOT NULL,
      line_keys json NOT NULL,
      made_by text NOT NULL,
      made_at timestamptz NOT NULL,
      undone_by text,
      undone_at timestamptz,
      PRIMARY KEY (tenant_id, id),
      CHECK ((undone_by IS NULL) = (undone_at IS NULL))
    )`);
    this.addSql(`CREATE TABLE reconciliation_match (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      leg text NOT NULL CHECK (leg IN ('books', 'bank')),
      rule text NOT NULL,
      day date NOT NULL,
      account_id text COLLATE "C",
      is_moved boolean NOT NULL,
      decision_id text COLLATE "C",
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE INDEX reconciliation_match_day ON reconciliation_match (tenant_id, day, id)`);
    this.addSql(`CREATE TABLE reconciliation_difference (
      tenant_id text COLLATE "C" NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      leg text NOT NULL,
      kind text NOT NULL,
      day date NOT NULL,
      account_id text COLLATE "C",
      amount_minor bigint NOT NULL,
      fee_expected_minor bigint,
      fee_charged_minor bigint,
      due_on date,
      match_id text COLLATE "C",
      line_keys json,
      PRIMARY KEY (tenant_id, id),
      CHECK ((match_id IS NULL) = (line_keys IS NOT NULL))
    )`);
    this.addSql(`CREATE INDEX reconciliation_difference_day ON reconciliation_difference (tenant_id, day)`);
    this.addSql(`CREATE UNIQUE INDEX reconciliation_difference_match ON reconciliation_difference (tenant_id, match_id)
      WHERE match_id IS NOT NULL`);
    this.addSql(`CREATE INDEX reconciliation_difference_open ON reconciliation_difference (tenant_id)
      WHERE match_id IS NULL`);
  }

  #days(): void {
    this.addSql(`CREATE TABLE reconciled_day (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      day date NOT NULL,
      state text NOT NULL CHECK (state IN ('open', 'even', 'explained', 'differs')),
      columns json NOT NULL,
      bank_account_id text COLLATE "C",
      lines_sha256 text,
      closed_at timestamptz,
      PRIMARY KEY (tenant_id, account_id, day)
    )`);
    this.addSql(`CREATE INDEX reconciled_day_day ON reconciled_day (tenant_id, day)`);
  }

  /** A line's match may change, and nothing else of it. */
  #keepLines(): void {
    for (const [table, columns] of Object.entries(KEPT)) {
      this.addSql(`CREATE TRIGGER ${table}_kept BEFORE DELETE OR UPDATE OF ${columns} ON ${table}
        FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
      this.addSql(`CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION identity.refuse_change()`);
    }
  }
}

const KEPT = {
  bank_line:
    "tenant_id, id, bank_account_id, import_id, day, amount_minor, currency, text, bank_id, ordinal, raw_sha256",
  statement_line: `tenant_id, account_id, kind, provider_line_id, day, at, amount_minor, reference, end_to_end_id,
    provider_payment_id, installment, settlement_id, text, balance_minor, raw_sha256`,
  book_line: `tenant_id, account_id, id, kind, day, amount_minor, payment_id, reference, end_to_end_id,
    provider_payment_id, installment, due_on`,
};
/** By these a line may be the same movement as another. */
const NAMES = ["end_to_end_id", "provider_payment_id", "reference"];
