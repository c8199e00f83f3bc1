import { Migration } from "@mikro-orm/migrations";

/** Marks the accounts at a bank on the service's own machine, which moves no real money. */
export class Environment0019 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE provider_account ADD COLUMN is_demo boolean NOT NULL DEFAULT false`);
  }
}
