import { Migration } from "@mikro-orm/migrations";

/** Who made a one-time link. Unknown of links from before, which end within seven days. */
export class Identity0010 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE invitation ADD COLUMN made_by text COLLATE "C"`);
  }
}
