import { Migration } from "@mikro-orm/migrations";

/** A check value: at its start, a process verifies that its key decrypts this database's secrets. */
export class Identity0002 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE data_key_check (
      id text COLLATE "C" PRIMARY KEY,
      sealed text NOT NULL
    )`);
  }
}
