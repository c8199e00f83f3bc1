import { Migration } from "@mikro-orm/migrations";

/** The tables of the books, events and webhooks. */
export class Environment0002 extends Migration {
  up(): void {
    this.#books();
    this.#settlements();
    this.#events();
    this.#webhooks();
    this.addSql(`CREATE INDEX payment_link_due ON payment_link (expires_at)
      WHERE status = 'active' AND expires_at IS NOT NULL`);
  }

  #appendOnly(table: string): void {
    this.addSql(`CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
    this.addSql(`CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION identity.refuse_change()`);
  }

  #books(): void {
    this.addSql(`CREATE TABLE ledger_entry (
      tenant_id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('payment', 'settlement')),
      booked_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, payment_id, kind),
      FOREIGN KEY (tenant_id, payment_id) REFERENCES payment
    )`);
    this.addSql(`CREATE TABLE ledger_line (
      tenant_id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      number int NOT NULL,
      account text COLLATE "C" NOT NULL,
      currency text NOT NULL CHECK (currency IN ('BRL', 'USD')),
      debit_minor bigint NOT NULL CHECK (debit_minor >= 0),
      credit_minor bigint NOT NULL CHECK (credit_minor >= 0),
      PRIMARY KEY (tenant_id, payment_id, kind, number),
      FOREIGN KEY (tenant_id, payment_id, kind) REFERENCES ledger_entry,
      CHECK ((debit_minor = 0) <> (credit_minor = 0))
    )`);
    this.addSql(`CREATE INDEX ledger_line_account ON ledger_line (tenant_id, account, currency)
      INCLUDE (debit_minor, credit_minor)`);
    this.addSql(`CREATE FUNCTION require_balance() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM ledger_line
        WHERE tenant_id = NEW.tenant_id AND payment_id = NEW.payment_id AND kind = NEW.kind
        GROUP BY currency HAVING sum(debit_minor) <> sum(credit_minor)
      ) THEN
        RAISE EXCEPTION 'the % entry of % does not balance', NEW.kind, NEW.payment_id USING ERRCODE = 'PL422';
      END IF;
      IF NOT EXISTS (
        SELECT FROM ledger_entry
        WHERE tenant_id = NEW.tenant_id AND payment_id = NEW.payment_id AND kind = NEW.kind
          AND xmin = pg_current_xact_id()::xid
      ) THEN
        RAISE EXCEPTION 'the % entry of % is closed', NEW.kind, NEW.payment_id USING ERRCODE = 'PL422';
      END IF;
      RETURN NULL;
    END $$`);
    // Deferred, because the lines of an entry are written one after the other.
    this.addSql(`CREATE CONSTRAINT TRIGGER ledger_line_balances AFTER INSERT ON ledger_line
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_balance()`);
    for (const table of ["ledger_entry", "ledger_line"]) this.#appendOnly(table);
  }

  #settlements(): void {
    this.addSql(`CREATE TABLE settlement (
      tenant_id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      succeeded_on date NOT NULL,
      term_days int NOT NULL CHECK (term_days >= 0),
      settled_at timestamptz,
      PRIMARY KEY (tenant_id, payment_id),
      FOREIGN KEY (tenant_id, payment_id) REFERENCES payment
    )`);
    this.addSql(
      `CREATE INDEX settlement_open ON settlement (succeeded_on, term_days) WHERE settled_at IS NULL`,
    );
    this.addSql(`CREATE TABLE business_day_override (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      number bigint GENERATED ALWAYS AS IDENTITY,
      day date NOT NULL,
      is_business_day boolean NOT NULL,
      reason text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.#appendOnly("business_day_override");
  }

  #events(): void {
    this.addSql(`CREATE TABLE event (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      is_internal boolean NOT NULL,
      object_id text COLLATE "C" NOT NULL,
      reference text,
      body bytea NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE INDEX event_object ON event (tenant_id, object_id, id)`);
    this.addSql(`CREATE INDEX event_created ON event (tenant_id, created_at)`);
    this.#appendOnly("event");
  }

  #webhooks(): void {
    this.addSql(`CREATE TABLE webhook_endpoint (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      url text NOT NULL,
      event_types text[] NOT NULL,
      status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
      disabled_reason text CHECK (disabled_reason IN ('manual', 'gone')),
      sealed_secret text NOT NULL,
      former_secrets jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      deleted_at timestamptz,
      PRIMARY KEY (tenant_id, id),
      CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL))
    )`);
    this.addSql(`CREATE TABLE webhook_delivery (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      endpoint_id text COLLATE "C" NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
      round int NOT NULL,
      round_attempt_count int NOT NULL,
      attempt_count int NOT NULL,
      next_attempt_at timestamptz,
      last_status_code int,
      last_error text,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id),
      UNIQUE (tenant_id, event_id, endpoint_id),
      FOREIGN KEY (tenant_id, event_id) REFERENCES event,
      FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint,
      CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
    )`);
    this.addSql(`CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (tenant_id, endpoint_id, id)`);
    this.addSql(`CREATE TABLE webhook_attempt (
      tenant_id text COLLATE "C" NOT NULL,
      delivery_id text COLLATE "C" NOT NULL,
      number int NOT NULL,
      started_at timestamptz NOT NULL,
      latency_ms int NOT NULL,
      status_code int,
      error text,
      response_body text NOT NULL,
      PRIMARY KEY (tenant_id, delivery_id, number),
      FOREIGN KEY (tenant_id, delivery_id) REFERENCES webhook_delivery
    )`);
    this.addSql(`CREATE INDEX webhook_attempt_started ON webhook_attempt (started_at)`);
  }
}
