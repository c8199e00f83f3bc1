import { Migration } from "@mikro-orm/migrations";

/** The user who made a one-time link. Null for earlier links, which end within seven days. */
export class Identity0010 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE invitation ADD COLUMN made_by text COLLATE "C"`);
  }
}
