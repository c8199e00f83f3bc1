import { Migration } from "@mikro-orm/migrations";

/** Lets a process find out at its start whether it has the key that this database's secrets are sealed with. */
export class Identity0002 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE data_key_check (
      id text COLLATE "C" PRIMARY KEY,
      sealed text NOT NULL
    )`);
  }
}
