import { Migration } from "@mikro-orm/migrations";

/** For how many days a tenant keeps what payers were asked to give: as until now, without end. */
export class Identity0014 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE tenant ADD COLUMN payer_retention_days int NOT NULL DEFAULT 0
      CHECK (payer_retention_days BETWEEN 0 AND 3650)`);
  }
}
