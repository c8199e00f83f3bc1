import { Migration } from "@mikro-orm/migrations";

/** The networks that sessions were opened from, as keyed hashes: a full link still takes payers of others. */
export class Environment0046 extends Migration {
  up(): void {
    this.addSql(
      `ALTER TABLE checkout_session ADD COLUMN neighbourhood_hash text COLLATE "C" NOT NULL DEFAULT ''`,
    );
    this.addSql(`CREATE INDEX checkout_session_neighbourhood
      ON checkout_session (tenant_id, link_id, neighbourhood_hash, created_at) WHERE neighbourhood_hash <> ''`);
    this.addSql(`CREATE INDEX checkout_session_neighbourhood_past ON checkout_session (expires_at)
      WHERE neighbourhood_hash <> '' AND payment_count > 0`);
  }
}
