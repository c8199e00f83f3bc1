import { Migration } from "@mikro-orm/migrations";

/** When an account last had few calls left at its provider. */
export class Environment0065 extends Migration {
  up(): void {
    this.addSql("ALTER TABLE provider_account ADD COLUMN few_calls_at timestamptz");
  }
}
