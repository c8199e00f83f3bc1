import { Migration } from "@mikro-orm/migrations";

/** Unknown money that a person has settled, with a note: set once. What was told of the money never changes. */
export class Environment0021 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE unknown_money
      ADD COLUMN settled_at timestamptz,
      ADD COLUMN settled_by text,
      ADD COLUMN settlement_note text,
      ADD CHECK (num_nulls(settled_at, settled_by, settlement_note) IN (0, 3))`);
    this.addSql(`CREATE FUNCTION keep_unknown_money() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (NEW.tenant_id, NEW.account_id, NEW.end_to_end_id, NEW.txid, NEW.amount_minor, NEW.received_at, NEW.created_at)
          IS DISTINCT FROM
          (OLD.tenant_id, OLD.account_id, OLD.end_to_end_id, OLD.txid, OLD.amount_minor, OLD.received_at, OLD.created_at)
        OR OLD.resolved_at IS NOT NULL AND NEW.resolved_at IS DISTINCT FROM OLD.resolved_at
        OR OLD.settled_at IS NOT NULL AND (NEW.settled_at, NEW.settled_by, NEW.settlement_note)
          IS DISTINCT FROM (OLD.settled_at, OLD.settled_by, OLD.settlement_note)
      THEN
        RAISE EXCEPTION 'unknown_money is kept as it is' USING ERRCODE = 'PL403';
      END IF;
      RETURN NEW;
    END $$`);
    this.addSql(`CREATE TRIGGER unknown_money_kept BEFORE UPDATE ON unknown_money
      FOR EACH ROW EXECUTE FUNCTION keep_unknown_money()`);
    this.addSql(`CREATE TRIGGER unknown_money_no_delete BEFORE DELETE ON unknown_money
      FOR EACH ROW EXECUTE FUNCTION identity.refuse_change()`);
    this.addSql(`DROP INDEX unknown_money_open`);
    this.addSql(`CREATE INDEX unknown_money_open ON unknown_money (tenant_id, received_at)
      WHERE resolved_at IS NULL AND settled_at IS NULL`);
  }
}
