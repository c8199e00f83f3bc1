import { Migration } from "@mikro-orm/migrations";

/**
 * The identity of money is the provider's account and its id there. Without an account it stays method and id, as
 * `account_id` is then empty; an account has one method. A former release that runs beside this one writes no account:
 * a trigger takes it from the payment's charge.
 */
export class Environment0020 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE taken_receipt ADD COLUMN account_id text COLLATE "C" NOT NULL DEFAULT ''`);
    this.addSql(`ALTER TABLE taken_receipt DISABLE TRIGGER taken_receipt_append_only`);
    this.addSql(`UPDATE taken_receipt t SET account_id = c.account_id FROM charge c
      WHERE c.tenant_id = t.tenant_id AND c.payment_id = t.payment_id AND c.account_id IS NOT NULL`);
    this.addSql(`ALTER TABLE taken_receipt ENABLE TRIGGER taken_receipt_append_only`);
    this.addSql(`ALTER TABLE taken_receipt
      ALTER COLUMN account_id DROP DEFAULT,
      DROP CONSTRAINT taken_receipt_pkey,
      ADD PRIMARY KEY (tenant_id, method, provider_payment_id, account_id)`);
    this.addSql(`CREATE FUNCTION set_receipt_account() RETURNS trigger LANGUAGE plpgsql
      SET search_path FROM CURRENT AS $$
    BEGIN
      NEW.account_id := coalesce((SELECT account_id FROM charge
        WHERE tenant_id = NEW.tenant_id AND payment_id = NEW.payment_id), '');
      RETURN NEW;
    END $$`);
    this.addSql(`CREATE TRIGGER taken_receipt_account BEFORE INSERT ON taken_receipt
      FOR EACH ROW WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION set_receipt_account()`);
    // Until now an exception named the money that another account of the tenant had told before.
    this.addSql(`INSERT INTO taken_receipt
        (tenant_id, account_id, method, provider_payment_id, payment_id, created_at)
      SELECT DISTINCT ON (c.tenant_id, c.account_id, p.method, e.provider_payment_id)
        c.tenant_id, c.account_id, p.method, e.provider_payment_id, c.payment_id, e.created_at
      FROM payment_exception e
      JOIN charge c ON c.tenant_id = e.tenant_id AND c.payment_id = e.payment_id
      JOIN payment p ON p.tenant_id = e.tenant_id AND p.id = e.payment_id
      WHERE c.account_id IS NOT NULL
      ORDER BY c.tenant_id, c.account_id, p.method, e.provider_payment_id, e.created_at
      ON CONFLICT DO NOTHING`);
  }
}
