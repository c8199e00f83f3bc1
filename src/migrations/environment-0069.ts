import { Migration } from "@mikro-orm/migrations";

/** A quote's terms never change, as its price does not: what is accepted is what was signed. */
export class Environment0069 extends Migration {
  up(): void {
    this.addSql(`CREATE FUNCTION keep_quote() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the terms of quote % are kept as they are', OLD.id USING ERRCODE = 'PL403';
    END $$`);
    this.addSql(`CREATE TRIGGER quote_kept BEFORE UPDATE ON quote FOR EACH ROW
      WHEN (OLD.consumed_at IS NOT NULL
        OR (NEW.tenant_id, NEW.id, NEW.price_id, NEW.payment_intent_id, NEW.legal_entity_id, NEW.settlement_term,
            NEW.fee_strategy::text, NEW.signature, NEW.expires_at, NEW.created_at)
          IS DISTINCT FROM
          (OLD.tenant_id, OLD.id, OLD.price_id, OLD.payment_intent_id, OLD.legal_entity_id, OLD.settlement_term,
            OLD.fee_strategy::text, OLD.signature, OLD.expires_at, OLD.created_at))
      EXECUTE FUNCTION keep_quote()`);
  }
}
