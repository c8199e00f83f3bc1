import { timestampMs } from "@bufbuild/protobuf/wkt";
import { stringify } from "csv-stringify/sync";
import { dayAt } from "../../../contract/day.ts";
import {
  DayState,
  DifferenceKind,
  type BankAccount,
  type Difference,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Language } from "../../pages/language.ts";
import { CSV_FORMAT } from "../export/csv-cells.ts";
import { WORKBOOK_ROWS_MAX } from "../export/sheet.ts";
import type { WorkbookRow } from "../export/workbook-rows.ts";
import { workbookOf, type WorkbookSheet } from "../export/workbook.ts";
import { messagesIn, titlesIn } from "./messages.ts";
import { MonthReader, type PackageCore, type ReadDay } from "./reading.ts";
import { readMe, type Missing } from "./read-me.ts";
import {
  BANK,
  BOOKS,
  DECISIONS,
  DIFFERENCES,
  IMPORTS,
  MONTH,
  STATEMENT,
  tableOf,
  type AccountOnDay,
  type DifferenceLine,
  type Sheet,
  type Table,
  type TablePart,
} from "./tables.ts";
import { csvCell, workbookCell } from "./values.ts";
import { zipOf, type Member } from "./zip.ts";

/** What a package is of, and for whom. */
export interface PackageRequest extends PackageCore {
  readonly month: Temporal.PlainYearMonth;
  readonly tenantId: string;
  /** "live" or "test". */
  readonly mode: string;
  /** The language of README.txt and of the workbook. */
  readonly language: Language;
  /** Returns a provider account's name for people. */
  readonly accountName: (id: string) => string;
  /** Ends the work when it aborts. */
  readonly signal: AbortSignal;
}

// So many rows keep the process for some milliseconds.
const PIECE_ROWS = 100;
const NOT_IN_NAMES = /[^\w.-]/g;

/** Returns the name of a package's file. */
export function packageName(month: Temporal.PlainYearMonth): string {
  return `paylink-${month.toString()}.zip`;
}

/**
 * Yields a month's package as a ZIP, made while it is read. Throws ConnectError as the RPCs that it reads by: it needs
 * reconciliation:read, and ledger:read for the seals. What was yielded before an error is no ZIP.
 */
export function monthPackage(request: PackageRequest): AsyncGenerator<Uint8Array> {
  const { year, month, daysInMonth } = request.month;
  // A ZIP has dates of these years alone.
  const dated = Math.min(Math.max(year, 1980), 2099);
  return zipOf(new MonthPackage(request).members(), new Date(dated, month - 1, daysInMonth, 12));
}

class MonthPackage {
  readonly #request: PackageRequest;
  readonly #reader: MonthReader;
  /** What the first reading of the days finds. */
  #areDaysRead = false;
  readonly #accountDays: AccountOnDay[] = [];
  readonly #importIds = new Set<string>();
  readonly #accountIds = new Set<string>();
  readonly #rowCounts = new Map<Sheet, number>();
  readonly #missing: Missing = { unsealed: [], openDays: [], differences: [], lines: [], leftOut: [] };

  constructor(request: PackageRequest) {
    this.#request = request;
    this.#reader = new MonthReader(request, request.month);
  }

  async *members(): AsyncGenerator<Member> {
    const bankAccounts = await this.#reader.bankAccounts();
    // The differences come first: with them the days are read, from which all else follows.
    const differences = tableOf("differences", DIFFERENCES, [["differences", () => this.#differences()]]);
    yield* this.#files(differences);
    for (const { providerAccountId } of bankAccounts)
      if (providerAccountId !== undefined) this.#accountIds.add(providerAccountId);
    const tables = [this.#monthTable(), differences, ...this.#lineTables(bankAccounts)];
    for (const table of tables) if (table !== differences) yield* this.#files(table);
    yield { name: "month.xlsx", bytes: this.#workbook(tables) };
    const sealedDays = await this.#reader.sealedDays();
    for (const day of sealedDays) yield { name: `seals/${day}.json`, bytes: this.#seal(day) };
    this.#missing.unsealed.push(...this.#reader.days.filter((day) => !sealedDays.includes(day)));
    const accountIds = [...this.#accountIds];
    yield {
      name: "README.txt",
      bytes: [readMe({ ...this.#request, accountIds, bankAccounts, missing: this.#missing })],
    };
  }

  #monthTable(): Table {
    const accountDays = this.#accountDays;
    return tableOf("month", MONTH, [
      [
        "month",
        async function* read() {
          yield accountDays;
        },
      ],
    ]);
  }

  #lineTables(bankAccounts: readonly BankAccount[]): Table[] {
    const reader = this.#reader;
    const accounts = [...this.#accountIds];
    const bankIds = bankAccounts.map(({ id }) => id);
    return [
      tableOf(
        "statement",
        STATEMENT,
        accounts.map((id) => [`statement/${fileNameOf(id)}`, () => reader.statementLines(id)]),
      ),
      tableOf(
        "bank",
        BANK,
        bankIds.map((id) => [`bank/${fileNameOf(id)}`, () => this.#bankLines(id)]),
      ),
      tableOf(
        "books",
        BOOKS,
        accounts.map((id) => [`books/${fileNameOf(id)}`, () => reader.bookLines(id)]),
      ),
      tableOf("imports", IMPORTS, [["imports", () => this.#imports(bankIds)]]),
      tableOf("decisions", DECISIONS, [["decisions", () => this.#decisions()]]),
    ];
  }

  async *#differences(): AsyncGenerator<readonly DifferenceLine[]> {
    const isFirstReading = !this.#areDaysRead;
    this.#areDaysRead = true;
    for await (const day of this.#reader.readDays()) {
      if (isFirstReading) this.#noteDay(day);
      yield day.differences.flatMap((difference, index): DifferenceLine[] => {
        const whole = { day: day.day, number: index + 1, difference };
        const [first, ...others] = difference.lines;
        return [
          { ...whole, isFirst: true, line: first },
          ...others.map((line) => ({ ...whole, isFirst: false, line })),
        ];
      });
    }
  }

  #noteDay({ day, accounts, differences, differenceCount }: ReadDay): void {
    const { openDays, differences: days, lines } = this.#missing;
    for (const account of accounts) {
      this.#accountIds.add(account.accountId);
      this.#accountDays.push({ day, account });
    }
    const isOpen = accounts.some(({ state }) => state !== DayState.EVEN && state !== DayState.EXPLAINED);
    // Bank lines of no provider account are in no account's state.
    const isUnowned = differences.some((one) => one.accountId === undefined && isUnexplained(one));
    if (isOpen || isUnowned) openDays.push(day);
    if (differenceCount > differences.length) days.push({ day, count: differenceCount });
    for (const [index, { lines: own, lineCount }] of differences.entries())
      if (lineCount > own.length) lines.push({ day, number: index + 1, count: lineCount });
  }

  async *#bankLines(id: string) {
    for await (const lines of this.#reader.bankLines(id)) {
      for (const { importId } of lines) this.#importIds.add(importId);
      yield lines;
    }
  }

  async *#imports(bankAccountIds: readonly string[]) {
    for (const bankAccountId of bankAccountIds)
      for await (const imports of this.#reader.bankImports(bankAccountId))
        yield imports.filter(({ id }) => this.#importIds.has(id));
  }

  async *#decisions() {
    const days = new Set(this.#reader.days);
    for await (const decisions of this.#reader.decisions())
      yield decisions.filter(
        (decision) =>
          decision.days.some((day) => days.has(day)) ||
          (decision.madeAt !== undefined && days.has(dayAt(timestampMs(decision.madeAt)).toString())),
      );
  }

  async *#seal(day: string): AsyncGenerator<string> {
    yield await this.#reader.sealText(day);
  }

  *#files({ sheet, names, parts }: Table): Generator<Member> {
    for (const part of parts) yield { name: `${part.path}.csv`, bytes: this.#csv(sheet, names, part) };
  }

  async *#csv(sheet: Sheet, names: readonly string[], { rows }: TablePart): AsyncGenerator<string> {
    // With a byte order mark, by which spreadsheets recognise UTF-8.
    yield stringify([names], { ...CSV_FORMAT, bom: true });
    for await (const some of rows()) {
      this.#rowCounts.set(sheet, (this.#rowCounts.get(sheet) ?? 0) + some.length);
      for (let from = 0; from < some.length; from += PIECE_ROWS) {
        const cells = some.slice(from, from + PIECE_ROWS).map((row) => row.map(csvCell));
        yield stringify(cells, CSV_FORMAT);
      }
    }
  }

  /** Makes the workbook of the tables that fit together, the first ones before the others. */
  async *#workbook(tables: readonly Table[]): AsyncGenerator<Uint8Array> {
    const { language, tenantId, signal } = this.#request;
    const t = messagesIn(language);
    let rowCount = 0;
    const sheets: WorkbookSheet[] = [];
    for (const table of tables) {
      const own = this.#rowCounts.get(table.sheet) ?? 0;
      if (rowCount + own > WORKBOOK_ROWS_MAX) {
        this.#missing.leftOut.push(table.sheet);
        continue;
      }
      rowCount += own;
      sheets.push({ name: t(`sheet_${table.sheet}`), rows: sheetRows(table, language) });
    }
    yield await workbookOf(tenantId, sheets, signal);
  }
}

async function* sheetRows({ names, parts }: Table, language: Language): AsyncGenerator<WorkbookRow[]> {
  const t = titlesIn(language);
  yield [names.map((name) => t(name))];
  for (const { rows } of parts)
    for await (const some of rows())
      yield some.map((row) => row.map((value) => workbookCell(value, language)));
}

function isUnexplained({ kind }: Difference): boolean {
  return kind !== DifferenceKind.DECIDED && kind !== DifferenceKind.IN_TRANSIT;
}

function fileNameOf(id: string): string {
  return id.replaceAll(NOT_IN_NAMES, "");
}
