import { amountIn, amountOfNumber } from "./amount.ts";
import { dayOfNumber, dayOfText } from "./file-day.ts";
import { quoted, UnreadableFile, type LineList } from "./line-list.ts";
import type { Column, Mapping } from "./mapping.ts";

/** A text, or a number of a workbook. */
export type Cell = string | number;

/** A row of cells, the first at 0. A cell may be missing. */
export type Row = readonly (Cell | undefined)[];

type Indexes = Readonly<Record<"day" | "amount" | "credit" | "debit" | "bankId", number>> & {
  readonly text: readonly number[];
};
const NONE = -1;
const CURRENCY = "BRL";

/** Adds the rows of a CSV or workbook, which come after those that its mapping skips, to a list as lines. */
export class MappedRows {
  readonly #mapping: Mapping;
  readonly #list: LineList;
  readonly #skipTexts: readonly string[];
  readonly #firstDay: number;
  #indexes: Indexes | null;

  /** Numbers of days count from `firstDay` on, which is 0 in most workbooks. */
  constructor(mapping: Mapping, list: LineList, firstDay = 0) {
    this.#mapping = mapping;
    this.#list = list;
    this.#firstDay = firstDay;
    this.#skipTexts = mapping.skipTexts.map(keyOf);
    this.#indexes = hasTitles(mapping) ? null : indexesOf(mapping, []);
  }

  /** Adds a row. Throws UnreadableFile if it is the row of titles, and lacks one. */
  add(row: Row, line: number, raw: string): void {
    if (row.every((cell) => cell === undefined || cell === "")) return;
    if (this.#indexes === null) {
      this.#indexes = indexesOf(
        this.#mapping,
        row.map((cell) => keyOf(String(cell ?? ""))),
        line,
      );
      return;
    }
    this.#addLine(row, this.#indexes, line, raw);
  }

  #addLine(row: Row, indexes: Indexes, line: number, raw: string): void {
    const text = indexes.text
      .map((index) => textAt(row, index))
      .filter(Boolean)
      .join(" ");
    const key = keyOf(text);
    if (this.#skipTexts.some((start) => key.startsWith(start))) return;
    const dayCell = cellAt(row, indexes.day);
    const day = this.#dayOf(dayCell);
    if (day === null) return this.#list.reject(line, `${quoted(String(dayCell))} is no day`);
    const amountMinor =
      indexes.amount === NONE ? this.#netOf(row, indexes) : this.#amountOf(cellAt(row, indexes.amount));
    if (amountMinor === null)
      return this.#list.reject(line, `${amountTexts(row, indexes).map(quoted).join(" and ")} is no amount`);
    this.#list.add(line, {
      day,
      amountMinor,
      currency: CURRENCY,
      text,
      bankId: textAt(row, indexes.bankId),
      raw,
    });
  }

  #dayOf(cell: Cell): string | null {
    const day = typeof cell === "number" ? dayOfNumber(cell + this.#firstDay) : null;
    return day ?? dayOfText(String(cell), this.#mapping.dateFormat);
  }

  #amountOf(cell: Cell): bigint | null {
    return typeof cell === "number" ? amountOfNumber(cell) : amountIn(cell, this.#mapping.decimal);
  }

  /** Returns the amount of two columns, of which one is empty or zero. What went out may have a minus or not. */
  #netOf(row: Row, { credit, debit }: Indexes): bigint | null {
    const cells = [cellAt(row, credit), cellAt(row, debit)];
    if (cells.every((cell) => cell === "")) return null;
    const [inMinor = null, outMinor = null] = cells.map((cell) => (cell === "" ? 0n : this.#amountOf(cell)));
    if (inMinor === null || outMinor === null) return null;
    if (inMinor < 0n || (inMinor !== 0n && outMinor !== 0n)) return null;
    return inMinor - (outMinor < 0n ? -outMinor : outMinor);
  }
}

function hasTitles({ columns: { day, amount, text, bankId } }: Mapping): boolean {
  const amounts = typeof amount === "object" ? [amount.credit, amount.debit] : [amount];
  return [day, ...amounts, ...text, bankId].some((column) => typeof column === "string");
}

function indexesOf({ columns }: Mapping, titles: readonly string[], line = 1): Indexes {
  const indexOf = (column: Column): number => {
    if (typeof column === "number") return column - 1;
    const index = titles.indexOf(keyOf(column));
    if (index === -1) throw new UnreadableFile(`the titles have no ${quoted(column)}`, line);
    if (titles.includes(keyOf(column), index + 1))
      throw new UnreadableFile(`the titles have two ${quoted(column)}: map it by its number`, line);
    return index;
  };
  const { day, amount, text, bankId } = columns;
  const isNet = typeof amount === "object";
  return {
    day: indexOf(day),
    amount: isNet ? NONE : indexOf(amount),
    credit: isNet ? indexOf(amount.credit) : NONE,
    debit: isNet ? indexOf(amount.debit) : NONE,
    text: text.map(indexOf),
    bankId: bankId === null ? NONE : indexOf(bankId),
  };
}

function amountTexts(row: Row, { amount, credit, debit }: Indexes): string[] {
  return amount === NONE ? [textAt(row, credit), textAt(row, debit)] : [textAt(row, amount)];
}

function cellAt(row: Row, index: number): Cell {
  const cell = row[index] ?? "";
  return typeof cell === "string" ? cell.trim() : cell;
}

function textAt(row: Row, index: number): string {
  return String(cellAt(row, index));
}

/** Returns a title or text as it is compared: the same in any case and composition. */
function keyOf(text: string): string {
  return text.trim().normalize().toLowerCase();
}
