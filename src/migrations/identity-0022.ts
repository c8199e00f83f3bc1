import { Migration } from "@mikro-orm/migrations";

/** What payers are asked to give besides `collect_fields`, each detail required or optional; of tenants before, nothing. */
export class Identity0022 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE tenant ADD COLUMN payer_fields jsonb NOT NULL DEFAULT '{}'`);
  }
}
