import { Migration } from "@mikro-orm/migrations";

/** Accounts at payment providers, what they call back, how far their statements were read, and unknown money. */
export class Environment0016 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE provider_account (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('pix', 'card')),
      profile text NOT NULL,
      label text,
      sealed_config text NOT NULL,
      fingerprint text NOT NULL,
      last_four text NOT NULL,
      certificate_subject text NOT NULL,
      certificate_not_after timestamptz NOT NULL,
      callback_proof text NOT NULL CHECK (callback_proof IN ('hmac', 'mtls')),
      callback_route text COLLATE "C" NOT NULL UNIQUE,
      state text NOT NULL CHECK (state IN ('active', 'retired')),
      revision int NOT NULL,
      verified_at timestamptz,
      rotated_at timestamptz,
      retired_at timestamptz,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE UNIQUE INDEX provider_account_active ON provider_account (tenant_id, kind)
      WHERE state = 'active'`);
    this.addSql(`CREATE TABLE provider_callback (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      body_hash text COLLATE "C" NOT NULL,
      refers_to text[] NOT NULL,
      attempt_count int NOT NULL,
      unknown_count int,
      due_at timestamptz,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, account_id, body_hash),
      FOREIGN KEY (tenant_id, account_id) REFERENCES provider_account
    )`);
    this.addSql(`CREATE INDEX provider_callback_due ON provider_callback (due_at) WHERE due_at IS NOT NULL`);
    this.addSql(`CREATE TABLE provider_sweep (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('received', 'day', 'returns')),
      swept_to timestamptz NOT NULL,
      due_at timestamptz NOT NULL,
      failure_count int NOT NULL,
      PRIMARY KEY (tenant_id, account_id, kind),
      FOREIGN KEY (tenant_id, account_id) REFERENCES provider_account
    )`);
    this.addSql(`CREATE INDEX provider_sweep_due ON provider_sweep (due_at)`);
    this.addSql(`CREATE TABLE unknown_money (
      tenant_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      end_to_end_id text COLLATE "C" NOT NULL,
      txid text COLLATE "C",
      amount_minor bigint NOT NULL,
      received_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      resolved_at timestamptz,
      PRIMARY KEY (tenant_id, account_id, end_to_end_id),
      FOREIGN KEY (tenant_id, account_id) REFERENCES provider_account
    )`);
    this.addSql(`CREATE INDEX unknown_money_open ON unknown_money (tenant_id, received_at)
      WHERE resolved_at IS NULL`);
  }
}
