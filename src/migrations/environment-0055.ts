import { Migration } from "@mikro-orm/migrations";

/**
 * The sums of a tenant's lines, and what was added to the lines since. A trigger adds it in the transaction of the
 * lines: so do those of a former release that runs beside this one. The worker sums the lines of before.
 */
export class Environment0055 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE ledger_sum (
      tenant_id text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      currency text NOT NULL,
      debit_minor numeric NOT NULL,
      credit_minor numeric NOT NULL,
      PRIMARY KEY (tenant_id, account, currency)
    )`);
    // Its rows are soon deleted: it is vacuumed by their number, not by a part of its size.
    this.addSql(`CREATE TABLE ledger_unsummed (
      tenant_id text COLLATE "C" NOT NULL,
      number bigint GENERATED ALWAYS AS IDENTITY,
      account text COLLATE "C" NOT NULL,
      currency text NOT NULL,
      debit_minor numeric NOT NULL,
      credit_minor numeric NOT NULL,
      PRIMARY KEY (tenant_id, number)
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`);
    this.addSql(`CREATE FUNCTION keep_unsummed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO ledger_unsummed (tenant_id, account, currency, debit_minor, credit_minor)
      SELECT tenant_id, account, currency, sum(debit_minor), sum(credit_minor) FROM new_line
      GROUP BY tenant_id, account, currency;
      RETURN NULL;
    END $$`);
    this.addSql(`CREATE TRIGGER ledger_line_unsummed AFTER INSERT ON ledger_line
      REFERENCING NEW TABLE AS new_line FOR EACH STATEMENT EXECUTE FUNCTION keep_unsummed()`);
  }
}
