import { Migration } from "@mikro-orm/migrations";

/** The shortest settlement term that the operator allows a tenant: until now, none is too short. */
export class Identity0012 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE tenant ADD COLUMN least_settlement_days integer NOT NULL DEFAULT 0
      CHECK (least_settlement_days BETWEEN 0 AND 365 AND settlement_days >= least_settlement_days)`);
  }
}
