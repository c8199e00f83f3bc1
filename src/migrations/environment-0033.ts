import { Migration } from "@mikro-orm/migrations";

/** The kinds of entries, held by all rows: those of before were written under stricter constraints. */
export class Environment0033 extends Migration {
  up(): void {
    this.addSql(`ALTER TABLE ledger_entry VALIDATE CONSTRAINT ledger_entry_kind_check,
      VALIDATE CONSTRAINT ledger_entry_source_check`);
  }
}
