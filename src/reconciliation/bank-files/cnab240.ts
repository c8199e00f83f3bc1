import { dayIn } from "./file-day.ts";
import { LineList, quoted, UnreadableFile, type BankFile } from "./line-list.ts";

// Positions of "Extrato de Conta Corrente para Conciliação Bancária" (FEBRABAN, CNAB 240), counted from 1. Compared in
// marcodpt/cnab, conciliacao/{bb,itau,bradesco,caixa,santander,daycoval}.js and its example files, and in a template for
// Caixa of May 2022, "Extrato eletrônico para conciliação bancária": all of them agree.
//   every record   bank 1-3, batch 4-7, type 8 (0 file, 1 batch, 3 detail, 5 end of batch, 9 end of file)
//   type 1         currency 171-173
//   types 1, 3, 5  branch and account with their check digits 53-72
//   type 3         segment 14, nature 109-111, accounting day 135-142, day 143-150, value 151-168 with two decimals,
//                  C or D 169, category 170-172, bank's code 173-176, text 177-201, document 202-240
//   type 5         day of the balance 143-150, value 151-168, C or D 169, status 170 (F final, P partial, I within the day)
// The accounting day is empty at Itaú, and later than the day for money that a bank holds back: the day is 143-150.
const LENGTH = 240;
const [FILE_HEADER, BATCH_HEADER, DETAIL, BATCH_END, FILE_END] = ["0", "1", "3", "5", "9"];
const FIRST_RECORD = /^(?:\d{3}00000|\d{7}1[A-Z]|\d{7}3\d{5}[A-Z])/;
const END_OF_FILE = "\u001A";
const FINAL = "F";

/** Returns whether a text begins with a record of CNAB 240. A record that is somewhat too short or too long is one. */
export function isCnab240(text: string): boolean {
  const [first = ""] = text
    .slice(0, 2 * LENGTH)
    .trimStart()
    .split("\n", 1);
  return first.length >= LENGTH / 2 && FIRST_RECORD.test(first);
}

/**
 * Reads the statement of one account in CNAB 240: its segments E. A line of another length than 240 characters is
 * rejected. Throws UnreadableFile if there is no segment E, or more than LINES_MAX.
 */
export function readCnab240(text: string, list = new LineList()): BankFile {
  const reader = new CnabReader(list);
  let number = 0;
  for (let from = 0; from < text.length;) {
    const next = text.indexOf("\n", from);
    const end = next === -1 ? text.length : next;
    reader.record(text.slice(from, end).replace(/\r$/, ""), ++number);
    from = end + 1;
  }
  return reader.end(number);
}

class CnabReader {
  readonly #list: LineList;
  #currency = "BRL";
  #account: string | null = null;
  #isOpen = false;

  constructor(list: LineList) {
    this.#list = list;
  }

  record(record: string, line: number): void {
    if (record === "" || record === END_OF_FILE) return;
    if (record.length !== LENGTH)
      return this.#list.reject(line, `it has ${record.length} characters instead of ${LENGTH}`);
    const type = record.charAt(7);
    if (type === FILE_HEADER) this.#isOpen = true;
    else if (type === BATCH_HEADER) this.#currency = currencyOf(field(record, 171, 173));
    else if (type === DETAIL) this.#detail(record, line);
    else if (type === BATCH_END) this.#balance(record);
    else if (type === FILE_END) this.#isOpen = false;
    else this.#list.reject(line, `${quoted(type)} is no type of record`);
  }

  #detail(record: string, line: number): void {
    const segment = field(record, 14, 14);
    if (segment !== "E") return this.#list.reject(line, `segment ${quoted(segment)} is of no statement`);
    this.#requireAccount(record, line);
    const day = dayOf(record);
    if (day === null) return this.#list.reject(line, `${quoted(field(record, 143, 150))} is no day`);
    const amountMinor = amountOf(record);
    if (amountMinor === null)
      return this.#list.reject(line, `${quoted(field(record, 151, 169))} is no amount with C or D`);
    this.#list.add(line, {
      day,
      amountMinor,
      currency: this.#currency,
      text: field(record, 177, 201),
      bankId: field(record, 202, 240),
      raw: record,
    });
  }

  /** A balance is beside the lines: one that is not final, or cannot be read, is none. */
  #balance(record: string): void {
    const [day, minor] = [dayOf(record), amountOf(record)];
    if (day !== null && minor !== null && field(record, 170, 170) === FINAL)
      this.#list.setBalance(day, minor);
  }

  #requireAccount(record: string, line: number): void {
    const account = field(record, 53, 72);
    if (this.#account !== null && this.#account !== account)
      throw new UnreadableFile(
        `the file is of two accounts, ${quoted(this.#account)} and ${quoted(account)}: import one file an account`,
        line,
      );
    this.#account = account;
  }

  end(lastLine: number): BankFile {
    if (this.#list.count === 0) throw new UnreadableFile("the CNAB 240 file has no segment E");
    if (this.#isOpen)
      this.#list.reject(lastLine, "the file ends before its record of type 9: fetch it again");
    return this.#list.toFile();
  }
}

function field(record: string, first: number, last: number): string {
  return record.slice(first - 1, last).trim();
}

function dayOf(record: string): string | null {
  const [, day = "", month = "", year = ""] = /^(\d{2})(\d{2})(\d{4})$/.exec(field(record, 143, 150)) ?? [];
  return dayIn(year, month, day);
}

function amountOf(record: string): bigint | null {
  const [, digits, side] = /^(\d{18})([CD])$/.exec(record.slice(150, 169)) ?? [];
  if (digits === undefined) return null;
  return side === "D" ? -BigInt(digits) : BigInt(digits);
}

function currencyOf(text: string): string {
  return text === "" || text === "R$" ? "BRL" : text;
}
