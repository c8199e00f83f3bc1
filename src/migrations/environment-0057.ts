import { Migration } from "@mikro-orm/migrations";

/** The provider's own ids of charges that callbacks named: as they came, and those that are of a charge of ours. */
export class Environment0057 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE provider_callback ADD COLUMN charge_ids text[] NOT NULL DEFAULT '{}'`);
    this.addSql(`ALTER TABLE charge ADD COLUMN told_charge_ids text[] NOT NULL DEFAULT '{}'`);
  }
}
