import { Migration } from "@mikro-orm/migrations";

/**
 * The money accepted earlier; of money accepted twice, the first counts. It is a migration of its own, so that no table
 * lock is held.
 */
export class Environment0013 extends Migration {
  up(): void {
    this.addSql(`INSERT INTO taken_receipt (tenant_id, method, provider_payment_id, payment_id, created_at)
      SELECT DISTINCT ON (tenant_id, method, provider_payment_id) * FROM (
        SELECT c.tenant_id, p.method, c.provider_payment_id, c.payment_id, c.created_at
          FROM charge c JOIN payment p ON (p.tenant_id, p.id) = (c.tenant_id, c.payment_id)
          WHERE c.provider_payment_id IS NOT NULL
        UNION ALL SELECT e.tenant_id, p.method, e.provider_payment_id, e.payment_id, e.created_at
          FROM payment_exception e JOIN payment p ON (p.tenant_id, p.id) = (e.tenant_id, e.payment_id)
      ) AS receipt ORDER BY tenant_id, method, provider_payment_id, created_at
      ON CONFLICT DO NOTHING`);
  }
}
