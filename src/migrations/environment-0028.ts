import { Migration } from "@mikro-orm/migrations";

/**
 * Open settlements by term, then day: the due ones of a term are those up to a day. The former release finds a term's
 * exact days by it too.
 */
export class Environment0028 extends Migration {
  up(): void {
    this.addSql(
      `CREATE INDEX settlement_due ON settlement (term_days, succeeded_on) WHERE settled_at IS NULL`,
    );
    this.addSql(`DROP INDEX settlement_open`);
  }
}
