import { Migration } from "@mikro-orm/migrations";

/** Tenants, their legal entities and keys, and the routes from ids to owners. */
export class Identity0001 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE tenant (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      payment_methods text[] NOT NULL,
      max_installments int NOT NULL CHECK (max_installments BETWEEN 1 AND 21),
      collect_fields text[] NOT NULL,
      settlement_days int NOT NULL CHECK (settlement_days >= 0),
      created_at timestamptz NOT NULL
    )`);
    this.addSql(`CREATE TABLE legal_entity (
      tenant_id text COLLATE "C" NOT NULL REFERENCES tenant,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      payout_currency text NOT NULL CHECK (payout_currency IN ('BRL', 'USD')),
      is_active boolean NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE TABLE api_key (
      tenant_id text COLLATE "C" NOT NULL REFERENCES tenant,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      mode text NOT NULL CHECK (mode IN ('live', 'test')),
      scopes text[] NOT NULL,
      key_hash text COLLATE "C" NOT NULL,
      last_four text NOT NULL,
      created_at timestamptz NOT NULL,
      revoked_at timestamptz,
      PRIMARY KEY (tenant_id, id),
      UNIQUE (tenant_id, key_hash)
    )`);
    this.addSql(`CREATE TABLE route (
      id text COLLATE "C" PRIMARY KEY,
      tenant_id text COLLATE "C" NOT NULL,
      mode text NOT NULL CHECK (mode IN ('live', 'test'))
    )`);
    this.addSql(`CREATE FUNCTION guard(overtaken boolean) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF overtaken THEN
        RAISE EXCEPTION 'the row was changed meanwhile' USING ERRCODE = 'PL409';
      END IF;
    END $$`);
    this.addSql(`CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'PL403';
    END $$`);
  }
}
