import { Migration } from "@mikro-orm/migrations";

/**
 * The providers' ids of accepted money. They prevent that two payments of a tenant accept the same money. If an earlier
 * release that runs beside this one accepts money, triggers write the row.
 */
export class Environment0012 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE taken_receipt (
      tenant_id text COLLATE "C" NOT NULL,
      method text NOT NULL,
      provider_payment_id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, method, provider_payment_id),
      FOREIGN KEY (tenant_id, payment_id) REFERENCES payment
    )`);
    this.addSql(`CREATE TRIGGER taken_receipt_append_only BEFORE UPDATE OR DELETE ON taken_receipt
      FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
    this.addSql(`CREATE FUNCTION note_taken_receipt() RETURNS trigger LANGUAGE plpgsql
      SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO taken_receipt (tenant_id, method, provider_payment_id, payment_id, created_at)
        SELECT tenant_id, method, NEW.provider_payment_id, id, now() FROM payment
        WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id
        ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$`);
    this.addSql(`CREATE TRIGGER charge_taken AFTER UPDATE OF provider_payment_id ON charge
      FOR EACH ROW WHEN (NEW.provider_payment_id IS NOT NULL) EXECUTE FUNCTION note_taken_receipt()`);
    this.addSql(`CREATE TRIGGER payment_exception_taken AFTER INSERT ON payment_exception
      FOR EACH ROW EXECUTE FUNCTION note_taken_receipt()`);
  }
}
