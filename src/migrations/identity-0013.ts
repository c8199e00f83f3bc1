import { Migration } from "@mikro-orm/migrations";

/** Finds the one-time links of a user, and the keys of a tenant that are not revoked, beside any number of others. */
export class Identity0013 extends Migration {
  up(): void {
    this.addSql("CREATE INDEX invitation_of_user ON invitation (user_id) WHERE user_id IS NOT NULL");
    this.addSql(`CREATE INDEX api_key_unrevoked ON api_key (tenant_id, (coalesce(expires_at, 'infinity')))
      WHERE revoked_at IS NULL`);
  }
}
