import { Migration } from "@mikro-orm/migrations";

/**
 * What happens to the money of a sandbox's charge after its payment, since when, and when the sandbox answers for a charge
 * first.
 */
export class Environment0078 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE sandbox_charge ADD COLUMN aftermath text, ADD COLUMN aftermath_at timestamptz,
      ADD COLUMN answers_at timestamptz`);
  }
}
