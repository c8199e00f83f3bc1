import { Migration } from "@mikro-orm/migrations";

/** Price lists, which sessions of a link share, and what the removal of sessions without a payment needs. */
export class Environment0009 extends Migration {
  up(): void {
    this.#priceLists();
    this.#references();
    this.#deletions();
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
}
