import { Migration } from "@mikro-orm/migrations";

/** The removal of past sessions without a payment, for one tenant at a time. */
export class Environment0010 extends Migration {
  up(): void {
    // The setting is local to the transaction. As a SET clause of the function it would need a superuser.
    this.addSql(`CREATE FUNCTION remove_past_sessions(tenant text, session_ids text[], until timestamptz)
      RETURNS int LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    DECLARE
      removed int;
      lists text[];
      prices text[];
      rates bigint[];
    BEGIN
      -- One at a time of a tenant: two that each take the last session of a list would both leave the list.
      IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' past sessions of ' || tenant, 0)) THEN
        RETURN 0;
      END IF;
      WITH past AS (
        SELECT id FROM checkout_session s
        WHERE tenant_id = tenant AND id = ANY (session_ids) AND payment_count = 0 AND expires_at <= until
          AND NOT EXISTS (SELECT FROM charge c WHERE c.tenant_id = tenant AND c.session_id = s.id)
        ORDER BY id FOR UPDATE OF s SKIP LOCKED
      ), gone AS (
        DELETE FROM checkout_session s USING past p WHERE s.tenant_id = tenant AND s.id = p.id
        RETURNING s.price_list_id
      )
      SELECT count(*), array_agg(DISTINCT price_list_id) INTO removed, lists FROM gone;
      IF removed = 0 THEN
        RETURN 0;
      END IF;
      -- Lists that no session uses any more. One that is just being opened is waited for, and is in use after that.
      PERFORM FROM price_list l WHERE l.tenant_id = tenant AND l.id = ANY (lists)
          AND NOT EXISTS (SELECT FROM checkout_session s WHERE s.tenant_id = tenant AND s.price_list_id = l.id)
        ORDER BY l.id FOR UPDATE OF l;
      SELECT array_agg(l.id) INTO lists FROM unnest(lists) AS l (id)
        WHERE NOT EXISTS (SELECT FROM checkout_session s WHERE s.tenant_id = tenant AND s.price_list_id = l.id);
      WITH gone AS (
        DELETE FROM checkout_option WHERE tenant_id = tenant AND price_list_id = ANY (lists) RETURNING price_id
      )
      SELECT array_agg(price_id) INTO prices FROM gone;
      DELETE FROM price_list WHERE tenant_id = tenant AND id = ANY (lists);
      PERFORM set_config('paylink.removal', 'past sessions', true);
      -- A quote's price is an option of its link's sessions too.
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
