import { LineList, RAW_MAX, UnreadableFile, type BankFile } from "./line-list.ts";
import { MappedRows, type Cell } from "./mapped-rows.ts";
import { COLUMN_MAX, type Mapping } from "./mapping.ts";
import { openWorkbook, type Workbook } from "./workbook.ts";
import { readXml, type Attributes } from "./xml.ts";

const DAYS_TO_1904 = 1462;
const BOOLEANS: Readonly<Record<string, string>> = { 0: "FALSE", 1: "TRUE" };
const LETTERS = 26;

/**
 * Reads the first sheet of an XLSX by its mapping, with the numbers and texts that are stored: no formula is computed.
 * Throws UnreadableFile if it is damaged, too large once it is unpacked, or without the mapping's titles.
 */
export function readXlsx(bytes: Uint8Array, mapping: Mapping, list = new LineList()): BankFile {
  const workbook = openWorkbook(bytes);
  const rows = new MappedRows(mapping, list, workbook.isFrom1904 ? DAYS_TO_1904 : 0);
  new SheetReader(workbook, (cells, number) => {
    if (number <= mapping.skipLines) return;
    const chars = cells.reduce<number>((sum, cell) => sum + String(cell).length, 0);
    if (chars > RAW_MAX) list.reject(number, `it has more than ${RAW_MAX} characters`);
    else rows.add(cells, number, JSON.stringify(cells));
  }).read();
  if (list.count === 0)
    throw new UnreadableFile("the first sheet has no line that the account's mapping reads");
  return list.toFile();
}

/** Reads the cells of a sheet row by row. Empty rows and cells cost nothing. */
class SheetReader {
  readonly #workbook: Workbook;
  readonly #onRow: (cells: readonly (Cell | undefined)[], number: number) => void;
  #number = 0;
  #cells: (Cell | undefined)[] = [];
  #column = -1;
  #type = "n";
  #value = "";
  #isValue = false;
  #isPhonetic = false;

  constructor(workbook: Workbook, onRow: (cells: readonly (Cell | undefined)[], number: number) => void) {
    this.#workbook = workbook;
    this.#onRow = onRow;
  }

  read(): void {
    readXml(this.#workbook.sheet, {
      open: (name, attributes) => this.#open(name, attributes),
      close: (name) => this.#close(name),
      text: (text) => {
        if (this.#isValue) this.#value += text;
      },
    });
  }

  #open(name: string, attributes: () => Attributes): void {
    if (name === "row") this.#openRow(attributes());
    else if (name === "c") this.#openCell(attributes());
    else if (name === "rPh") this.#isPhonetic = true;
    this.#isValue = name === "v" || (name === "t" && !this.#isPhonetic);
  }

  #close(name: string): void {
    if (name === "row") this.#onRow(this.#cells, this.#number);
    else if (name === "c") this.#closeCell();
    else if (name === "rPh") this.#isPhonetic = false;
    this.#isValue = false;
  }

  #openRow({ r }: Attributes): void {
    const number = r === undefined ? this.#number + 1 : Number(r);
    if (!Number.isSafeInteger(number) || number <= this.#number)
      throw new UnreadableFile("the sheet's rows are out of order", this.#number + 1);
    [this.#number, this.#cells, this.#column] = [number, [], -1];
  }

  #openCell({ r, t = "n" }: Attributes): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column <= this.#column)
      throw new UnreadableFile("the row's cells are out of order", Math.max(this.#number, 1));
    [this.#column, this.#type, this.#value] = [column, t, ""];
  }

  #closeCell(): void {
    // No mapping names a column further right.
    if (this.#value === "" || this.#column >= COLUMN_MAX) return;
    this.#cells[this.#column] = this.#cell(this.#value);
  }

  #cell(value: string): Cell {
    if (this.#type === "s") return this.#sharedText(value);
    if (this.#type === "b") return BOOLEANS[value] ?? value;
    const number = Number(value);
    return this.#type === "n" && Number.isFinite(number) ? number : value;
  }

  #sharedText(index: string): string {
    const text = this.#workbook.sharedTexts[Number(index)];
    if (text === undefined) throw new UnreadableFile("a cell names a text that is not there", this.#number);
    return text;
  }
}

/** Returns the index of a cell's column, from 0: that of B7 is 1. Any other text is the last of all. */
function columnOf(reference: string): number {
  const [, letters] = /^([A-Z]{1,3})\d{1,7}$/.exec(reference) ?? [];
  if (letters === undefined) return Number.POSITIVE_INFINITY;
  let column = 0;
  for (const letter of letters) column = column * LETTERS + letter.charCodeAt(0) - 64;
  return column - 1;
}
