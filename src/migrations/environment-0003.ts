import { Migration } from "@mikro-orm/migrations";

/**
 * The tables of checkout sessions with their prices, of charges at providers, and of money that could not be accepted.
 */
export class Environment0003 extends Migration {
  up(): void {
    this.#sessions();
    this.#charges();
    // A single link has at most one card payment in processing.
    this.addSql(`CREATE UNIQUE INDEX payment_single_processing ON payment (tenant_id, link_id)
      WHERE status = 'processing' AND is_single`);
    this.addSql(`CREATE TABLE sandbox_charge (
      tenant_id text COLLATE "C" NOT NULL,
      reference text COLLATE "C" NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      status text NOT NULL CHECK (status IN ('waiting', 'challenge', 'paid', 'refused')),
      reason text,
      challenge_url text,
      paid_at timestamptz,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, reference)
    )`);
  }

  #sessions(): void {
    this.addSql(`CREATE TABLE checkout_session (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      link_id text COLLATE "C" NOT NULL,
      payment_count int NOT NULL,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id),
      FOREIGN KEY (tenant_id, link_id) REFERENCES payment_link
    )`);
    this.addSql(`CREATE TABLE checkout_option (
      tenant_id text COLLATE "C" NOT NULL,
      session_id text COLLATE "C" NOT NULL,
      number int NOT NULL,
      price_id text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant_id, session_id, number),
      FOREIGN KEY (tenant_id, session_id) REFERENCES checkout_session,
      FOREIGN KEY (tenant_id, price_id) REFERENCES price
    )`);
  }

  #charges(): void {
    this.addSql(`CREATE TABLE charge (
      tenant_id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      session_id text COLLATE "C" NOT NULL,
      number int NOT NULL,
      reference text COLLATE "C" NOT NULL,
      pix_code text,
      challenge_url text,
      decline_reason text,
      acknowledged_total_minor bigint,
      sealed_payer text,
      provider_payment_id text,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      check_at timestamptz NOT NULL,
      receipt_count int NOT NULL,
      is_open boolean NOT NULL,
      PRIMARY KEY (tenant_id, payment_id),
      UNIQUE (tenant_id, session_id, number),
      UNIQUE (tenant_id, reference),
      FOREIGN KEY (tenant_id, payment_id) REFERENCES payment,
      FOREIGN KEY (tenant_id, session_id) REFERENCES checkout_session
    )`);
    this.addSql(`CREATE INDEX charge_open ON charge (check_at) WHERE is_open`);
    this.addSql(`CREATE TABLE payment_exception (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      provider_payment_id text COLLATE "C" NOT NULL,
      reason text NOT NULL CHECK (reason IN ('late', 'duplicate', 'wrong_amount')),
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      expected_minor bigint NOT NULL CHECK (expected_minor >= 0),
      proposed_refund_minor bigint NOT NULL CHECK (proposed_refund_minor >= 0),
      received_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id),
      UNIQUE (tenant_id, payment_id, provider_payment_id),
      FOREIGN KEY (tenant_id, payment_id) REFERENCES payment
    )`);
  }
}
