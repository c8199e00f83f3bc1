import { Migration } from "@mikro-orm/migrations";

/** API keys among the actors of the audit log. Both modes run it; rows are not read again. */
export class Environment0052 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE identity.audit_entry DROP CONSTRAINT IF EXISTS audit_entry_actor_kind_check,
      ADD CONSTRAINT audit_entry_actor_kind_check
        CHECK (actor_kind IN ('user', 'core_token', 'command_line', 'core', 'api_key')) NOT VALID`);
  }
}
