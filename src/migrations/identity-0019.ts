import { Migration } from "@mikro-orm/migrations";

/** A tenant's active legal entities apart from those that were replaced, of which any number is kept. */
export class Identity0019 extends Migration {
  up(): void {
    this.addSql(`CREATE INDEX legal_entity_active ON legal_entity (tenant_id, id) WHERE is_active`);
  }
}
