import { Migration } from "@mikro-orm/migrations";

/** Users, their memberships, sessions and one-time links, and the audit trail. */
export class Identity0004 extends Migration {
  up(): void {
    this.addSql("ALTER TABLE tenant ADD COLUMN membership_version int NOT NULL DEFAULT 0");
    this.addSql("ALTER TABLE api_key ADD COLUMN last_used_at timestamptz");
    this.#people();
    this.#ways();
    this.#trail();
  }

  #people(): void {
    this.addSql(`CREATE TABLE "user" (
      id text COLLATE "C" PRIMARY KEY,
      email text NOT NULL UNIQUE,
      name text NOT NULL,
      password_hash text NOT NULL,
      totp_sealed text NOT NULL,
      totp_step int NOT NULL,
      created_at timestamptz NOT NULL
    )`);
    this.addSql(`CREATE TABLE membership (
      tenant_id text COLLATE "C" NOT NULL REFERENCES tenant,
      user_id text COLLATE "C" NOT NULL REFERENCES "user",
      role text NOT NULL CHECK (role IN ('owner', 'developer', 'finance', 'viewer')),
      created_at timestamptz NOT NULL,
      last_signed_in_at timestamptz,
      PRIMARY KEY (tenant_id, user_id)
    )`);
    this.addSql("CREATE INDEX membership_of_user ON membership (user_id)");
  }

  #ways(): void {
    this.addSql(`CREATE TABLE invitation (
      tenant_id text COLLATE "C" NOT NULL REFERENCES tenant,
      id text COLLATE "C" NOT NULL,
      token_hash text COLLATE "C" NOT NULL,
      email text NOT NULL,
      role text NOT NULL CHECK (role IN ('owner', 'developer', 'finance', 'viewer')),
      user_id text COLLATE "C" REFERENCES "user",
      is_operator boolean NOT NULL,
      totp_sealed text NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      ended_at timestamptz,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(
      "CREATE UNIQUE INDEX invitation_open ON invitation (tenant_id, email) WHERE ended_at IS NULL",
    );
    this.addSql("CREATE INDEX invitation_token ON invitation (token_hash)");
    this.addSql(`CREATE TABLE session (
      token_hash text COLLATE "C" PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      user_id text COLLATE "C" NOT NULL REFERENCES "user",
      tenant_id text COLLATE "C" NOT NULL REFERENCES tenant,
      address text NOT NULL,
      user_agent text NOT NULL,
      created_at timestamptz NOT NULL,
      last_seen_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
    this.addSql("CREATE INDEX session_of_user ON session (user_id)");
    // The columns that rate-limiter-flexible requires.
    this.addSql(`CREATE TABLE sign_in_attempt (
      key varchar(255) PRIMARY KEY,
      points integer NOT NULL DEFAULT 0,
      expire bigint
    )`);
  }

  #trail(): void {
    this.addSql(`CREATE TABLE audit_entry (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL,
      actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'core_token', 'command_line', 'core')),
      actor_id text NOT NULL,
      actor_name text NOT NULL,
      action text NOT NULL,
      mode text CHECK (mode IN ('live', 'test')),
      object_id text NOT NULL,
      details jsonb NOT NULL,
      address text NOT NULL,
      request_id text NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql("CREATE INDEX audit_entry_time ON audit_entry (tenant_id, created_at DESC, id DESC)");
    this.addSql(`CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE ON audit_entry
      FOR EACH ROW EXECUTE FUNCTION refuse_change()`);
    this.addSql(`CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON audit_entry
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`);
  }
}
