import { Migration } from "@mikro-orm/migrations";

/**
 * The removal of past quotes that were not accepted, for one tenant at a time. Their ids stay, so that a late acceptance
 * is refused as before.
 */
export class Environment0026 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE past_quote (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant_id, id)
    )`);
    this.addSql(`CREATE INDEX quote_past ON quote (expires_at) WHERE consumed_at IS NULL`);
    this.addSql(`CREATE OR REPLACE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF coalesce(current_setting('paylink.removal', true), '') NOT IN ('past sessions', 'past quotes') THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'PL403';
      END IF;
      RETURN OLD;
    END $$`);
    this.addSql(`CREATE FUNCTION refuse_accepted_quote() RETURNS trigger LANGUAGE plpgsql
      SET search_path FROM CURRENT AS $$
    BEGIN
      IF current_setting('paylink.removal', true) IS DISTINCT FROM 'past quotes' OR OLD.consumed_at IS NOT NULL
        OR EXISTS (SELECT FROM payment_link WHERE tenant_id = OLD.tenant_id AND quote_id = OLD.id) THEN
        RAISE EXCEPTION 'quote % is not removed', OLD.id USING ERRCODE = 'PL403';
      END IF;
      RETURN OLD;
    END $$`);
    this.addSql(`CREATE TRIGGER quote_no_delete BEFORE DELETE ON quote
      FOR EACH ROW EXECUTE FUNCTION refuse_accepted_quote()`);
    this.#removal();
  }

  #removal(): void {
    // The setting is local to the transaction. As a SET clause of the function it would need a superuser.
    this.addSql(`CREATE FUNCTION remove_past_quotes(tenant text, quote_ids text[], until timestamptz)
      RETURNS int LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    DECLARE
      removed int;
      prices text[];
      rates bigint[];
    BEGIN
      -- One at a time of a tenant: two that each take a price of the same rate would both leave the rate.
      IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' past quotes of ' || tenant, 0)) THEN
        RETURN 0;
      END IF;
      PERFORM set_config('paylink.removal', 'past quotes', true);
      WITH past AS (
        SELECT id FROM quote WHERE tenant_id = tenant AND id = ANY (quote_ids) AND consumed_at IS NULL
          AND expires_at <= until ORDER BY id FOR UPDATE SKIP LOCKED
      ), gone AS (
        DELETE FROM quote q USING past p WHERE q.tenant_id = tenant AND q.id = p.id RETURNING q.id, q.price_id
      ), kept AS (
        INSERT INTO past_quote (tenant_id, id) SELECT tenant, id FROM gone
      )
      SELECT count(*), array_agg(price_id) INTO removed, prices FROM gone;
      WITH gone AS (
        DELETE FROM price p WHERE p.tenant_id = tenant AND p.id = ANY (prices)
          AND NOT EXISTS (SELECT FROM quote r WHERE r.tenant_id = tenant AND r.price_id = p.id)
          AND NOT EXISTS (SELECT FROM payment_link r WHERE r.tenant_id = tenant AND r.price_id = p.id)
          AND NOT EXISTS (SELECT FROM payment r WHERE r.tenant_id = tenant AND r.price_id = p.id)
          AND NOT EXISTS (SELECT FROM checkout_option r WHERE r.tenant_id = tenant AND r.price_id = p.id)
        RETURNING p.fx_rate_history_id
      )
      SELECT array_agg(DISTINCT fx_rate_history_id) INTO rates FROM gone WHERE fx_rate_history_id IS NOT NULL;
      DELETE FROM fx_rate_history h WHERE h.tenant_id = tenant AND h.id = ANY (rates)
        AND NOT EXISTS (SELECT FROM price r WHERE r.tenant_id = tenant AND r.fx_rate_history_id = h.id)
        AND NOT EXISTS (SELECT FROM payment_intent r WHERE r.tenant_id = tenant AND r.fx_rate_history_id = h.id);
      PERFORM set_config('paylink.removal', '', true);
      RETURN removed;
    END $$`);
  }
}
