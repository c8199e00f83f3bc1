import { Migration } from "@mikro-orm/migrations";

/** The brand and the last digits of a paid card. Of money that an earlier release took they are not known. */
export class Environment0072 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE charge ADD COLUMN card_brand text, ADD COLUMN card_last_four text`);
  }
}
