import { Migration } from "@mikro-orm/migrations";

/** How a tenant presents itself to payers: texts by name, of which none is given yet. */
export class Identity0015 extends Migration {
  up(): void {
    this.addSql("ALTER TABLE tenant ADD COLUMN profile jsonb NOT NULL DEFAULT '{}'");
  }
}
