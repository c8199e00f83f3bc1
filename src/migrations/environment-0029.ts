import { Migration } from "@mikro-orm/migrations";

/**
 * Cards: the brand of a declined one and the hash of its provider's token, how it reaches its provider, its id there, and how
 * far the provider is with it.
 */
export class Environment0029 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE charge ADD COLUMN decline_brand text, ADD COLUMN card_token_hash text,
      ADD COLUMN card_style text, ADD COLUMN provider_charge_id text, ADD COLUMN reviewed_at timestamptz,
      ADD COLUMN absent_count integer NOT NULL DEFAULT 0`);
  }
}
