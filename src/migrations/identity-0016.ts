import { Migration } from "@mikro-orm/migrations";

/** The views of lists that users save. They end with the membership. */
export class Identity0016 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE saved_view (
      tenant_id text NOT NULL,
      user_id text NOT NULL,
      list text NOT NULL,
      name text NOT NULL,
      query text NOT NULL,
      PRIMARY KEY (tenant_id, user_id, list, name),
      FOREIGN KEY (tenant_id, user_id) REFERENCES membership ON DELETE CASCADE
    )`);
  }
}
