import { Migration } from "@mikro-orm/migrations";

/** A tenant's settlements by their time, those to come included. */
export class Environment0050 extends Migration {
  up(): void {
    this.addSql("CREATE INDEX settlement_of_tenant ON settlement (tenant_id, settled_at)");
  }
}
