import { Migration } from "@mikro-orm/migrations";

/**
 * The PIX end-to-end id of a payment's money, as its charge has it, and the index by which it is found. A payment that a
 * former release takes beside this one has none. The hashes by which a payment's payer is found, and an index of payments
 * of which something went back, and of the lines that say it. How many installments a card's charge of the sandbox has.
 */
export class Environment0073 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE payment ADD COLUMN end_to_end_id text COLLATE "C"`);
    this.addSql(String.raw`UPDATE payment p SET end_to_end_id = c.id FROM (
        SELECT tenant_id, payment_id, account_id, coalesce(end_to_end_id, provider_payment_id) AS id FROM charge
      ) AS c
      WHERE p.method = 'pix' AND p.status = 'succeeded' AND c.tenant_id = p.tenant_id AND c.payment_id = p.id
        AND (c.account_id IS NULL OR c.id ~ '^E\d{8}[0-9A-Za-z]{23}$')`);
    this.addSql(`CREATE INDEX payment_refunded ON payment (tenant_id, created_at DESC, id DESC)
      WHERE refunded_minor > 0`);
    this.addSql(`CREATE INDEX ledger_line_returned ON ledger_line (tenant_id)
      WHERE account = 'provider_clearing' AND kind IN ('refund', 'return', 'return_reversal')`);
    this.addSql(`ALTER TABLE sandbox_charge
      ADD COLUMN installments int NOT NULL DEFAULT 1 CHECK (installments BETWEEN 1 AND 99)`);
    // Null of all charges before: a payer is found from then on.
    this.addSql(`ALTER TABLE charge ADD COLUMN payer_words text[] COLLATE "C"`);
    this.addSql(`CREATE INDEX payment_end_to_end ON payment (tenant_id, end_to_end_id)
      WHERE end_to_end_id IS NOT NULL`);
  }
}
