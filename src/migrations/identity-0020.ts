import { Migration } from "@mikro-orm/migrations";

/** After how many hours a tenant's money that came late or twice is given back by itself: as until now, never. */
export class Identity0020 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE tenant ADD COLUMN exception_refund_hours int NOT NULL DEFAULT 0
      CHECK (exception_refund_hours BETWEEN 0 AND 720)`);
  }
}
