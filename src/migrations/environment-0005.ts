import { Migration } from "@mikro-orm/migrations";

/** The tables of sealed days and their rows. */
export class Environment0005 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE day_seal (
      tenant_id text COLLATE "C" NOT NULL,
      day date NOT NULL,
      format_version int NOT NULL CHECK (format_version > 0),
      payment_count bigint NOT NULL CHECK (payment_count >= 0),
      byte_count bigint NOT NULL CHECK (byte_count >= 0),
      rows_sha256 text NOT NULL CHECK (rows_sha256 ~ '^[0-9a-f]{64}$'),
      sums json NOT NULL,
      sealed_by text,
      sealed_at timestamptz NOT NULL,
      head_sha256 text NOT NULL CHECK (head_sha256 ~ '^[0-9a-f]{64}$'),
      PRIMARY KEY (tenant_id, day)
    )`);
    // The rows are written before the seal, which has their hash: the reference is checked at commit.
    this.addSql(`CREATE TABLE sealed_rows (
      tenant_id text COLLATE "C" NOT NULL,
      day date NOT NULL,
      position bigint NOT NULL CHECK (position >= 0),
      row_count int NOT NULL CHECK (row_count > 0),
      bytes bytea NOT NULL,
      states text[] COLLATE "C" NOT NULL CHECK (cardinality(states) = row_count),
      PRIMARY KEY (tenant_id, day, position),
      FOREIGN KEY (tenant_id, day) REFERENCES day_seal DEFERRABLE INITIALLY DEFERRED
    )`);
    for (const table of ["day_seal", "sealed_rows"]) {
      this.addSql(`CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
      this.addSql(`CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION identity.refuse_change()`);
    }
  }
}
