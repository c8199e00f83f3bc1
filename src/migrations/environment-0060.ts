import { Migration } from "@mikro-orm/migrations";

/** The newest rule of each kind and the policies in force are found without those before them, of which any number is kept. */
export class Environment0060 extends Migration {
  up(): void {
    this.addSql(
      `CREATE INDEX pricing_rule_newest ON pricing_rule (tenant_id, method, currency, created_at DESC, id DESC)`,
    );
    this.addSql(`CREATE INDEX fx_policy_newest ON fx_policy (tenant_id, valid_from, id)`);
  }
}
