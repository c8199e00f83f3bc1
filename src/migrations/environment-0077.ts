import { Migration } from "@mikro-orm/migrations";

/**
 * Of an endpoint a description and metadata. An event's deliveries are inserted with the event, so that no process reads the
 * endpoints first. The release before, which may run beside this one, inserts those that it knows of by itself.
 */
export class Environment0077 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE webhook_endpoint ADD COLUMN description text, ADD COLUMN metadata json`);
    // A delivery's id is that of its event up to the last 40 bits, which are random: ids ascend as events do.
    this.addSql(`CREATE OR REPLACE FUNCTION require_deliveries() RETURNS trigger LANGUAGE plpgsql
      SET search_path FROM CURRENT AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(hashtextextended('webhook endpoints of ' || tenant_id, 0))
        FROM (SELECT DISTINCT tenant_id FROM new_event WHERE NOT is_internal AND type <> 'webhook.test') AS tenant;
      -- A statement of its own: its snapshot is later than the lock.
      INSERT INTO webhook_delivery (tenant_id, id, event_id, endpoint_id, status, round, round_attempt_count,
          attempt_count, next_attempt_at, created_at)
        SELECT e.tenant_id, 'dlv_' || substr(e.id, 5, 18) || left(gen_random_uuid()::text, 8), e.id, w.id, 'pending', 1, 0,
          0, e.created_at, e.created_at
        FROM new_event e JOIN webhook_endpoint w ON w.tenant_id = e.tenant_id
        WHERE NOT e.is_internal AND e.type <> 'webhook.test' AND w.status = 'enabled' AND w.deleted_at IS NULL
          AND (w.event_types = '{}' OR w.event_types && ARRAY[e.type, split_part(e.type, '.', 1) || '.*'])
        ON CONFLICT (tenant_id, event_id, endpoint_id) DO NOTHING;
      RETURN NULL;
    END $$`);
    this.addSql("ALTER FUNCTION require_deliveries() RENAME TO insert_deliveries");
  }
}
