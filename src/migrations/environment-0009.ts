import { Migration } from "@mikro-orm/migrations";

/** Price lists, which sessions of a link share, and the removal of sessions without a payment. */
export class Environment0009 extends Migration {
  up(): void {
    this.#priceLists();
    this.#references();
    this.#deletions();
    this.#removal();
  }

  #priceLists(): void {
    this.addSql(`CREATE TABLE price_list (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      link_id text COLLATE "C" NOT NULL,
      fingerprint text COLLATE "C",
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, id),
      UNIQUE (tenant_id, link_id, fingerprint),
      FOREIGN KEY (tenant_id, link_id) REFERENCES payment_link
    )`);
    // Each existing session gets its own list, under its own id. No other session finds it.
    this.addSql(`INSERT INTO price_list (tenant_id, id, link_id, created_at)
      SELECT tenant_id, id, link_id, created_at FROM checkout_session`);
    this.addSql(`ALTER TABLE checkout_session ADD COLUMN price_list_id text COLLATE "C"`);
    this.addSql(`UPDATE checkout_session SET price_list_id = id`);
    this.addSql(`ALTER TABLE checkout_session ALTER COLUMN price_list_id SET NOT NULL,
      ADD FOREIGN KEY (tenant_id, price_list_id) REFERENCES price_list`);
    this.addSql(`ALTER TABLE checkout_option RENAME COLUMN session_id TO price_list_id`);
    this.addSql(`ALTER TABLE checkout_option DROP CONSTRAINT checkout_option_tenant_id_session_id_fkey,
      ADD FOREIGN KEY (tenant_id, price_list_id) REFERENCES price_list`);
  }

  /** The indexes that foreign keys and the removal need before a row is deleted. */
  #references(): void {
    this.addSql(
      `CREATE INDEX checkout_session_past ON checkout_session (expires_at) WHERE payment_count = 0`,
    );
    this.addSql(`CREATE INDEX checkout_session_price_list ON checkout_session (tenant_id, price_list_id)`);
    this.addSql(`CREATE INDEX checkout_option_price ON checkout_option (tenant_id, price_id)`);
    this.addSql(`CREATE INDEX quote_price ON quote (tenant_id, price_id)`);
    this.addSql(`CREATE INDEX payment_price ON payment (tenant_id, price_id)`);
    this.addSql(
      `CREATE INDEX payment_link_price ON payment_link (tenant_id, price_id) WHERE price_id IS NOT NULL`,
    );
    this.addSql(`CREATE INDEX price_rate ON price (tenant_id, fx_rate_history_id)
      WHERE fx_rate_history_id IS NOT NULL`);
    this.addSql(`CREATE INDEX payment_intent_rate ON payment_intent (tenant_id, fx_rate_history_id)
      WHERE fx_rate_history_id IS NOT NULL`);
  }

  /** Prices and locked rates are never updated, and only the removal deletes them. */
  #deletions(): void {
    this.addSql(`CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('paylink.removal', true) IS DISTINCT FROM 'past sessions' THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'PL403';
      END IF;
      RETURN OLD;
    END $$`);
    for (const table of ["price", "fx_rate_history"]) {
      this.addSql(`DROP TRIGGER ${table}_append_only ON ${table}`);
      this.addSql(`CREATE TRIGGER ${table}_append_only BEFORE UPDATE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
      this.addSql(`CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION refuse_deletion()`);
    }
    // The other references have foreign keys, which refuse the deletion.
    this.addSql(`CREATE FUNCTION refuse_referred_rate() RETURNS trigger LANGUAGE plpgsql
      SET search_path FROM CURRENT AS $$
    BEGIN
      IF EXISTS (SELECT FROM payment_intent
        WHERE tenant_id = OLD.tenant_id AND fx_rate_history_id = OLD.id) THEN
        RAISE EXCEPTION 'an intent refers to rate %', OLD.id USING ERRCODE = 'PL403';
      END IF;
      RETURN OLD;
    END $$`);
    this.addSql(`CREATE TRIGGER fx_rate_history_referred BEFORE DELETE ON fx_rate_history
      FOR EACH ROW EXECUTE FUNCTION refuse_referred_rate()`);
  }

  #removal(): void {
    // The setting is in force only while the function runs.
    this.addSql(`CREATE FUNCTION remove_past_sessions(until timestamptz, batch int) RETURNS int LANGUAGE plpgsql
      SET search_path FROM CURRENT SET paylink.removal TO 'past sessions' AS $$
    DECLARE
      removed int;
      list_tenants text[];
      lists text[];
      price_tenants text[];
      prices text[];
      rate_tenants text[];
      rates bigint[];
    BEGIN
      -- One at a time: two that each take the last session of a list would both leave the list.
      IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' past sessions', 0)) THEN
        RETURN 0;
      END IF;
      WITH past AS (
        SELECT tenant_id, id FROM checkout_session s
        WHERE payment_count = 0 AND expires_at <= until
          AND NOT EXISTS (SELECT FROM charge c WHERE c.tenant_id = s.tenant_id AND c.session_id = s.id)
        ORDER BY expires_at LIMIT batch FOR UPDATE OF s SKIP LOCKED
      ), gone AS (
        DELETE FROM checkout_session s USING past p WHERE s.tenant_id = p.tenant_id AND s.id = p.id
        RETURNING s.tenant_id, s.price_list_id
      ), used AS (
        SELECT tenant_id, price_list_id, count(*) AS sessions FROM gone GROUP BY 1, 2
      )
      SELECT coalesce(sum(sessions), 0), array_agg(tenant_id), array_agg(price_list_id)
        INTO removed, list_tenants, lists FROM used;
      IF removed = 0 THEN
        RETURN 0;
      END IF;
      -- Lists that no session uses any more. One that is just being opened is waited for, and is in use after that.
      PERFORM FROM price_list l JOIN unnest(list_tenants, lists) AS g (tenant_id, id) USING (tenant_id, id)
        WHERE NOT EXISTS (SELECT FROM checkout_session s
          WHERE s.tenant_id = l.tenant_id AND s.price_list_id = l.id)
        ORDER BY l.tenant_id, l.id FOR UPDATE OF l;
      SELECT array_agg(l.tenant_id), array_agg(l.id) INTO list_tenants, lists
        FROM unnest(list_tenants, lists) AS l (tenant_id, id)
        WHERE NOT EXISTS (SELECT FROM checkout_session s
          WHERE s.tenant_id = l.tenant_id AND s.price_list_id = l.id);
      WITH gone AS (
        DELETE FROM checkout_option o USING unnest(list_tenants, lists) AS l (tenant_id, id)
        WHERE o.tenant_id = l.tenant_id AND o.price_list_id = l.id
        RETURNING o.tenant_id, o.price_id
      )
      SELECT array_agg(tenant_id), array_agg(price_id) INTO price_tenants, prices FROM gone;
      DELETE FROM price_list l USING unnest(list_tenants, lists) AS g (tenant_id, id)
        WHERE l.tenant_id = g.tenant_id AND l.id = g.id;
      -- A quote's price is an option of its link's sessions too.
      WITH gone AS (
        DELETE FROM price p USING unnest(price_tenants, prices) AS g (tenant_id, id)
        WHERE p.tenant_id = g.tenant_id AND p.id = g.id
          AND NOT EXISTS (SELECT FROM quote r WHERE r.tenant_id = p.tenant_id AND r.price_id = p.id)
          AND NOT EXISTS (SELECT FROM payment_link r WHERE r.tenant_id = p.tenant_id AND r.price_id = p.id)
          AND NOT EXISTS (SELECT FROM payment r WHERE r.tenant_id = p.tenant_id AND r.price_id = p.id)
          AND NOT EXISTS (SELECT FROM checkout_option r WHERE r.tenant_id = p.tenant_id AND r.price_id = p.id)
        RETURNING p.tenant_id, p.fx_rate_history_id
      ), locked AS (
        SELECT DISTINCT tenant_id, fx_rate_history_id FROM gone WHERE fx_rate_history_id IS NOT NULL
      )
      SELECT array_agg(tenant_id), array_agg(fx_rate_history_id) INTO rate_tenants, rates FROM locked;
      DELETE FROM fx_rate_history h USING unnest(rate_tenants, rates) AS g (tenant_id, id)
        WHERE h.tenant_id = g.tenant_id AND h.id = g.id
          AND NOT EXISTS (SELECT FROM price r
            WHERE r.tenant_id = h.tenant_id AND r.fx_rate_history_id = h.id)
          AND NOT EXISTS (SELECT FROM payment_intent r
            WHERE r.tenant_id = h.tenant_id AND r.fx_rate_history_id = h.id);
      RETURN removed;
    END $$`);
  }
}
