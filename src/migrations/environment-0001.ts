import { Migration } from "@mikro-orm/migrations";

const MONEY = "bigint NOT NULL";
const CURRENCY = "text NOT NULL CHECK (% IN ('BRL', 'USD'))";
const METHOD = "text NOT NULL CHECK (method IN ('pix', 'card', 'ted'))";

/** The tables of one mode: prices and their inputs, links, intents, payments, idempotency keys. */
export class Environment0001 extends Migration {
  up(): void {
    this.#pricing();
    this.#prices();
    this.#links();
    this.#ledger();
    this.addSql(`CREATE TABLE idempotency (
      tenant_id text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      fingerprint bytea NOT NULL,
      request_id text NOT NULL,
      response bytea,
      error json,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, key),
      CHECK ((response IS NULL) <> (error IS NULL))
    )`);
    this.addSql(`CREATE INDEX idempotency_expires_at ON idempotency (expires_at)`);
  }

  #appendOnly(table: string): void {
    this.addSql(`CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
    this.addSql(`CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION identity.refuse_change()`);
  }

  #pricing(): void {
    this.addSql(`CREATE TABLE pricing_rule (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      method ${METHOD},
      currency ${CURRENCY.replace("%", "currency")},
      percent_ppm bigint NOT NULL,
      fixed_minor ${MONEY},
      min_minor ${MONEY},
      max_minor bigint,
      surcharge_ppm int[] NOT NULL,
      default_fee_handling text NOT NULL CHECK (default_fee_handling IN ('absorb', 'pass_through')),
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE TABLE fx_policy (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      coverage_ppm bigint NOT NULL,
      iof_ppm bigint NOT NULL,
      iof_enabled boolean NOT NULL,
      iof_nature text NOT NULL,
      iof_legal_basis text NOT NULL,
      valid_from timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE TABLE fx_spot (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      spot_micros bigint NOT NULL CHECK (spot_micros > 0),
      source text NOT NULL,
      max_age_seconds bigint NOT NULL,
      published_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE TABLE fx_rate_history (
      tenant_id text COLLATE "C" NOT NULL,
      id bigint NOT NULL,
      spot_id text NOT NULL,
      spot_micros bigint NOT NULL,
      coverage_ppm bigint NOT NULL,
      rate_micros bigint NOT NULL,
      locked_at timestamptz NOT NULL,
      valid_until timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    // Numbers are taken in blocks, so that a lock knows its number before it is written.
    this.addSql(`CREATE SEQUENCE fx_rate_history_block`);
    this.addSql(`CREATE TABLE signing_key (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      private_jwk json NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    for (const table of ["pricing_rule", "fx_policy", "fx_spot", "fx_rate_history"]) this.#appendOnly(table);
  }

  #prices(): void {
    const money = [
      "base",
      "gross",
      "net",
      "percent_amount",
      "fixed",
      "raw_total",
      "service_fee",
      "installment_surcharge",
      "iof_amount",
      "total_fee",
      "payer_total",
      "receiver_net",
      "first_installment",
      "other_installment",
    ];
    this.addSql(`CREATE TABLE price (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      amount_minor ${MONEY} CHECK (amount_minor > 0),
      currency ${CURRENCY.replace("%", "currency")},
      method ${METHOD},
      installments int NOT NULL CHECK (installments BETWEEN 1 AND 21),
      fee_handling text NOT NULL CHECK (fee_handling IN ('absorb', 'pass_through')),
      rule_id text NOT NULL,
      percent_ppm bigint NOT NULL,
      min_minor ${MONEY},
      max_minor bigint,
      surcharge_ppm bigint NOT NULL,
      iof_ppm bigint NOT NULL,
      fx_rate_history_id bigint,
      rate_micros bigint,
      fx_locked_at timestamptz,
      fx_valid_until timestamptz,
      pricing_currency ${CURRENCY.replace("%", "pricing_currency")},
      ${money.map((name) => `${name}_minor ${MONEY},`).join(" ")}
      min_applied boolean NOT NULL,
      max_applied boolean NOT NULL,
      iof_applicable boolean NOT NULL,
      iof_enabled boolean NOT NULL,
      payer_currency text NOT NULL CHECK (payer_currency = 'BRL'),
      receiver_currency ${CURRENCY.replace("%", "receiver_currency")},
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id),
      FOREIGN KEY (tenant_id, fx_rate_history_id) REFERENCES fx_rate_history,
      CHECK (gross_minor = net_minor + service_fee_minor + installment_surcharge_minor + iof_amount_minor),
      CHECK (num_nulls(fx_rate_history_id, rate_micros, fx_locked_at, fx_valid_until) IN (0, 4)),
      CHECK ((rate_micros IS NULL) = (currency = 'BRL' AND receiver_currency = 'BRL'))
    )`);
    this.#appendOnly("price");
    this.addSql(`CREATE TABLE quote (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      price_id text COLLATE "C" NOT NULL,
      payment_intent_id text COLLATE "C",
      legal_entity_id text NOT NULL,
      settlement_term text NOT NULL,
      fee_strategy json,
      signature text NOT NULL,
      expires_at timestamptz NOT NULL,
      consumed_at timestamptz,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id),
      FOREIGN KEY (tenant_id, price_id) REFERENCES price
    )`);
  }

  #links(): void {
    this.addSql(`CREATE TABLE payment_link (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'completed', 'expired', 'canceled')),
      is_campaign boolean NOT NULL,
      amount_minor ${MONEY} CHECK (amount_minor > 0),
      currency ${CURRENCY.replace("%", "currency")},
      payout_currency ${CURRENCY.replace("%", "payout_currency")},
      legal_entity_id text NOT NULL,
      reference text,
      payment_methods text[] NOT NULL,
      max_installments int NOT NULL,
      fee_handling text NOT NULL CHECK (fee_handling IN ('absorb', 'pass_through')),
      description text,
      product_ref text,
      details text,
      product_images text[] NOT NULL,
      collect_fields text[] NOT NULL,
      metadata json NOT NULL,
      quote_id text COLLATE "C",
      price_id text COLLATE "C",
      payment_intent_id text COLLATE "C",
      expires_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz,
      PRIMARY KEY (tenant_id, id),
      FOREIGN KEY (tenant_id, price_id) REFERENCES price
    )`);
  }

  #ledger(): void {
    this.addSql(`CREATE TABLE payment_intent (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      quote_id text COLLATE "C",
      legal_entity_id text NOT NULL,
      amount_minor ${MONEY} CHECK (amount_minor > 0),
      currency ${CURRENCY.replace("%", "currency")},
      payer_country text,
      settlement_term text NOT NULL,
      fee_strategy json,
      fx_rate_history_id bigint,
      reference text,
      metadata json NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE TABLE payment (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      link_id text COLLATE "C",
      price_id text COLLATE "C" NOT NULL,
      method ${METHOD},
      status text NOT NULL CHECK (status IN ('pending', 'processing', 'succeeded', 'failed', 'expired')),
      failure_code text,
      is_single boolean NOT NULL,
      reference text,
      metadata json NOT NULL,
      created_at timestamptz NOT NULL CHECK (created_at = date_trunc('second', created_at)),
      updated_at timestamptz,
      PRIMARY KEY (tenant_id, id),
      FOREIGN KEY (tenant_id, price_id) REFERENCES price,
      CHECK ((failure_code IS NOT NULL) = (status = 'failed'))
    )`);
    this.addSql(`CREATE INDEX payment_period ON payment (tenant_id, created_at DESC, id DESC)`);
    this.addSql(`CREATE INDEX payment_link_open ON payment (tenant_id, link_id)
      WHERE status IN ('pending', 'processing')`);
    // A single link is paid at most once, even after other errors.
    this.addSql(`CREATE UNIQUE INDEX payment_single_success ON payment (tenant_id, link_id)
      WHERE status = 'succeeded' AND is_single`);
  }
}
