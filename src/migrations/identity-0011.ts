import { Migration } from "@mikro-orm/migrations";

/** Who bears the fee of refunded money: as agreed with every tenant until now, the merchant. */
export class Identity0011 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE tenant ADD COLUMN refund_fee text NOT NULL DEFAULT 'merchant'
      CHECK (refund_fee IN ('merchant', 'service'))`);
  }
}
