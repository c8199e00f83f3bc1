import { Migration } from "@mikro-orm/migrations";

/**
 * What charges at live providers need: the account that each was made with, and whether its code is still awaited. A
 * former release that runs beside this one writes charges whose code is there. And the payment of an event for the
 * check of prices: empty if the database cannot read the event, so that one event does not end the check of all.
 */
export class Environment0015 extends Migration {
  up(): void {
    this.addSql(`CREATE FUNCTION event_payment(body bytea) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
    BEGIN
      RETURN convert_from(body, 'UTF8')::jsonb #> '{data,payment}';
    EXCEPTION WHEN untranslatable_character OR invalid_text_representation OR character_not_in_repertoire THEN
      RETURN '{}';
    END $$`);
    this.addSql(
      `ALTER TABLE charge ADD COLUMN account_id text COLLATE "C", ADD COLUMN preparation_count int`,
    );
    this.addSql(`CREATE TABLE sandbox_refund (
      tenant_id text COLLATE "C" NOT NULL,
      refund_id text COLLATE "C" NOT NULL,
      reference text COLLATE "C" NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      created_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, refund_id),
      FOREIGN KEY (tenant_id, reference) REFERENCES sandbox_charge
    )`);
    this.addSql(`CREATE INDEX sandbox_refund_charge ON sandbox_refund (tenant_id, reference)`);
  }
}
