import { Migration } from "@mikro-orm/migrations";

/**
 * Rates that the service fetches: the bulletin of each and when it was read, those that wait for a person, and when a
 * source is asked again. A former release that runs beside this one reads and writes spot rates without these columns.
 */
export class Environment0018 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE fx_spot ADD COLUMN bulletin text, ADD COLUMN fetched_at timestamptz`);
    this.addSql(
      `CREATE UNIQUE INDEX fx_spot_bulletin ON fx_spot (tenant_id, source, published_at) WHERE source <> 'manual'`,
    );
    this.addSql(`CREATE TABLE fx_held_rate (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      spot_micros bigint NOT NULL CHECK (spot_micros > 0),
      source text NOT NULL,
      bulletin text NOT NULL,
      max_age_seconds bigint NOT NULL,
      published_at timestamptz NOT NULL,
      fetched_at timestamptz NOT NULL,
      last_spot_id text COLLATE "C" NOT NULL,
      last_micros bigint NOT NULL,
      PRIMARY KEY (tenant_id, id),
      UNIQUE (tenant_id, source, published_at)
    )`);
    this.addSql(`CREATE TRIGGER fx_held_rate_append_only BEFORE UPDATE OR DELETE ON fx_held_rate
      FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
    this.addSql(`CREATE TRIGGER fx_held_rate_no_truncate BEFORE TRUNCATE ON fx_held_rate
      FOR EACH STATEMENT EXECUTE FUNCTION identity.refuse_change()`);
    this.addSql(`CREATE TABLE fx_feed (
      tenant_id text COLLATE "C" NOT NULL,
      source text NOT NULL,
      due_at timestamptz NOT NULL,
      answered_at timestamptz,
      failure_count int NOT NULL DEFAULT 0,
      failure text,
      PRIMARY KEY (tenant_id, source)
    )`);
  }
}
