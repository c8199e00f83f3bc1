import { Migration } from "@mikro-orm/migrations";

/**
 * What was kept of the card of a payment is for its own decline alone: it goes with payments that are over. A former
 * release's was a hash without a key.
 */
export class Environment0043 extends Migration {
  up(): void {
    this.addSql(`UPDATE charge c SET card_token_hash = NULL FROM payment p
      WHERE c.card_token_hash IS NOT NULL AND p.tenant_id = c.tenant_id AND p.id = c.payment_id
        AND p.status NOT IN ('pending', 'processing')`);
  }
}
