import { Migration } from "@mikro-orm/migrations";

/** The successor of a key. For keys replaced earlier, it comes from the trail. */
export class Identity0009 extends Migration {
  up(): void {
    // The trail may be long: it is read before the keys are locked.
    this.addSql(`CREATE TEMPORARY TABLE replaced_key ON COMMIT DROP AS
      SELECT DISTINCT ON (tenant_id, object_id) tenant_id, object_id AS id, details ->> 'successor' AS successor
      FROM audit_entry WHERE action = 'RotateApiKey' ORDER BY tenant_id, object_id, created_at DESC, id DESC`);
    this.addSql(`ALTER TABLE api_key ADD COLUMN replaced_by text COLLATE "C"`);
    this.addSql(`UPDATE api_key SET replaced_by = replaced_key.successor FROM replaced_key
      WHERE replaced_key.tenant_id = api_key.tenant_id AND replaced_key.id = api_key.id`);
  }
}
