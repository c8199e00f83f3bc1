import { Migration } from "@mikro-orm/migrations";

/** When the books and the prices were last looked through, and what was found. */
export class Environment0004 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE audit (
      tenant_id text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      due_at timestamptz NOT NULL,
      ended_at timestamptz,
      problem_count int,
      PRIMARY KEY (tenant_id, name),
      CHECK ((ended_at IS NULL) = (problem_count IS NULL))
    )`);
    this.addSql(`CREATE INDEX payment_changed ON payment ((coalesce(updated_at, created_at)))`);
  }
}
