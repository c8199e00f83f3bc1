import { Migration } from "@mikro-orm/migrations";

/**
 * An event's deliveries are decided before its commit, which may have to wait for seconds. The trigger requires one to each
 * endpoint that takes the event at the commit, or else it is decided again. A change of endpoints waits for the events that
 * have been looked at, and those that come wait for it: both take the lock of `src/webhooks/endpoints.ts`.
 */
export class Environment0058 extends Migration {
  up(): void {
    this.addSql(`CREATE FUNCTION require_deliveries() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(hashtextextended('webhook endpoints of ' || tenant_id, 0))
        FROM (SELECT DISTINCT tenant_id FROM new_event WHERE NOT is_internal AND type <> 'webhook.test') AS tenant;
      -- A statement of its own: its snapshot is later than the lock.
      PERFORM identity.guard(EXISTS (
        SELECT FROM new_event e JOIN webhook_endpoint w ON w.tenant_id = e.tenant_id
        WHERE NOT e.is_internal AND e.type <> 'webhook.test' AND w.status = 'enabled' AND w.deleted_at IS NULL
          AND (w.event_types = '{}' OR e.type = ANY (w.event_types))
          AND NOT EXISTS (SELECT FROM webhook_delivery d
            WHERE d.tenant_id = e.tenant_id AND d.event_id = e.id AND d.endpoint_id = w.id)));
      RETURN NULL;
    END $$`);
    this.addSql(`CREATE TRIGGER event_deliveries AFTER INSERT ON event
      REFERENCING NEW TABLE AS new_event FOR EACH STATEMENT EXECUTE FUNCTION require_deliveries()`);
  }
}
