import { Migration } from "@mikro-orm/migrations";

/** The times and results of the latest checks of books and prices. */
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
