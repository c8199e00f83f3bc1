import type { CallOptions, Client } from "@connectrpc/connect";
import { GetSealResponseSchema, type LedgerService } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  ListBankImportsRequestSchema,
  ListBankLinesRequestSchema,
  ListBookLinesRequestSchema,
  ListDecisionsRequestSchema,
  ListStatementLinesRequestSchema,
  type AccountDay,
  type BankAccount,
  type BankImport,
  type BankLine,
  type BookLine,
  type Decision,
  type Difference,
  type ReconciliationService,
  type StatementLine,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { toJsonString } from "@bufbuild/protobuf";
import { largestPage } from "../export/lines.ts";

/** The core, and the call options of who asks: tenant, mode and user. */
export interface PackageCore {
  readonly core: {
    readonly ledger: Client<typeof LedgerService>;
    readonly reconciliation: Client<typeof ReconciliationService>;
  };
  readonly as: CallOptions;
}

/** What a day has. */
export interface ReadDay {
  readonly day: string;
  readonly accounts: readonly AccountDay[];
  readonly differences: readonly Difference[];
  /** How many differences it has: more than `differences` when an account has over 100. */
  readonly differenceCount: number;
}

/** Reads a month of one tenant and mode. */
export class MonthReader {
  readonly #core: PackageCore["core"];
  readonly #as: CallOptions;
  readonly #period: { readonly from: string; readonly to: string };
  readonly days: readonly string[];

  constructor({ core, as }: PackageCore, month: Temporal.PlainYearMonth) {
    this.#core = core;
    this.#as = as;
    this.days = Array.from({ length: month.daysInMonth }, (_, index) =>
      month.toPlainDate({ day: index + 1 }).toString(),
    );
    this.#period = { from: this.days.at(0) ?? "", to: this.days.at(-1) ?? "" };
  }

  async *readDays(): AsyncGenerator<ReadDay> {
    for (const day of this.days) {
      const { accounts, differences } = await this.#core.reconciliation.getReconciledDay({ day }, this.#as);
      const own = accounts.flatMap((account) => account.differences);
      const counts = accounts.map(({ differenceCount }) => differenceCount);
      yield {
        day,
        accounts,
        differences: [...own, ...differences],
        differenceCount: counts.reduce((sum, count) => sum + count, differences.length),
      };
    }
  }

  async bankAccounts(): Promise<readonly BankAccount[]> {
    return (await this.#core.reconciliation.listBankAccounts({}, this.#as)).bankAccounts;
  }

  async *statementLines(accountId: string): AsyncGenerator<readonly StatementLine[]> {
    const asked = { accountId, ...this.#period, limit: largestPage(ListStatementLinesRequestSchema) };
    for await (const { lines } of pages(
      async (cursor) => await this.#core.reconciliation.listStatementLines({ ...asked, ...cursor }, this.#as),
    ))
      yield lines;
  }

  async *bankLines(bankAccountId: string): AsyncGenerator<readonly BankLine[]> {
    const asked = { bankAccountId, ...this.#period, limit: largestPage(ListBankLinesRequestSchema) };
    for await (const { lines } of pages(
      async (cursor) => await this.#core.reconciliation.listBankLines({ ...asked, ...cursor }, this.#as),
    ))
      yield lines;
  }

  async *bookLines(accountId: string): AsyncGenerator<readonly BookLine[]> {
    const asked = { accountId, ...this.#period, limit: largestPage(ListBookLinesRequestSchema) };
    for await (const { lines } of pages(
      async (cursor) => await this.#core.reconciliation.listBookLines({ ...asked, ...cursor }, this.#as),
    ))
      yield lines;
  }

  async *bankImports(bankAccountId: string): AsyncGenerator<readonly BankImport[]> {
    const asked = { bankAccountId, limit: largestPage(ListBankImportsRequestSchema) };
    for await (const { imports } of pages(
      async (cursor) => await this.#core.reconciliation.listBankImports({ ...asked, ...cursor }, this.#as),
    ))
      yield imports;
  }

  /** Yields all decisions, the last made first. */
  async *decisions(): AsyncGenerator<readonly Decision[]> {
    const asked = { limit: largestPage(ListDecisionsRequestSchema) };
    for await (const { decisions } of pages(
      async (cursor) => await this.#core.reconciliation.listDecisions({ ...asked, ...cursor }, this.#as),
    ))
      yield decisions;
  }

  /** Returns the days that are sealed, in order. */
  async sealedDays(): Promise<readonly string[]> {
    const { seals } = await this.#core.ledger.listSeals(this.#period, this.#as);
    return seals.flatMap(({ seal }) => (seal ? [seal.day] : []));
  }

  /** Returns a day's seal in the JSON in which GetSeal answers. Error: seal_not_found. */
  async sealText(day: string): Promise<string> {
    return toJsonString(GetSealResponseSchema, await this.#core.ledger.getSeal({ day }, this.#as));
  }
}

async function* pages<Page extends { readonly nextCursor?: string | undefined }>(
  read: (cursor: { readonly startingAfter?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let after: string | undefined; ;) {
    const page = await read(after === undefined ? {} : { startingAfter: after });
    yield page;
    if (page.nextCursor === undefined) return;
    after = page.nextCursor;
  }
}
