/** One movement of a bank account, as a file of the bank has it. */
export interface BankFileLine {
  /** Day of São Paulo, YYYY-MM-DD. */
  readonly day: string;
  /** Minor units, signed as the account's holder sees it: + came in, - went out. */
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The bank's own text; "" if there is none. */
  readonly text: string;
  /** FITID or document number; "" if the file has none. */
  readonly bankId: string;
  /** 1 for the first line of the file with this bankId, day and amount, 2 for the next. */
  readonly ordinal: number;
  /** The line as the file has it, for its hash. */
  readonly raw: string;
}

export interface RejectedLine {
  /** Line number in the file, from 1; in a workbook the row's. */
  readonly line: number;
  readonly reason: string;
}

export interface BankFile {
  readonly lines: readonly BankFileLine[];
  readonly rejected: readonly RejectedLine[];
  /** Balance at the end of a day in minor units; null if the file states none that can be read. */
  readonly balance: { readonly day: string; readonly minor: bigint } | null;
}

/** Movements that a file may have. */
export const LINES_MAX = 200_000;
/** Characters of one movement in the file. */
export const RAW_MAX = 64 * 1024;
// A workbook of few bytes may repeat one long text in each row.
const RAW_SUM_MAX = 64 * 1024 * 1024;
const TEXT_MAX = 2000;
const BANK_ID_MAX = 255;
const CURRENCIES: ReadonlySet<string> = new Set(["BRL", "USD"]);
const QUOTED_MAX = 40;
// A database refuses the first of them in a text, and lines on a page would break at others.
const BLANKS = /[\s\p{Cc}]+/gu;
const UNCLEAN = /[^\S ]|\p{Cc}| {2}/u;

/** A movement as a reader found it. */
export type FoundLine = Omit<BankFileLine, "ordinal">;

/** The file as a whole cannot be read: `line` and `message` become its one rejected line. */
export class UnreadableFile extends Error {
  readonly line: number;

  constructor(reason: string, line = 1) {
    super(reason);
    this.line = line;
  }
}

/** Collects a file's lines in their order, and counts those that are alike. Nothing can be known of a day after the last one. */
export class LineList {
  readonly #lastDay: string;
  readonly #lines: BankFileLine[] = [];
  readonly #rejected: RejectedLine[] = [];
  readonly #counts = new Map<string, number>();
  #balance: BankFile["balance"] = null;
  #rawSum = 0;

  constructor(lastDay = "9999-12-31") {
    this.#lastDay = lastDay;
  }

  /** Lines so far, rejected ones too. */
  get count(): number {
    return this.#lines.length + this.#rejected.length;
  }

  /** Adds a movement, or rejects it if a field is out of bounds. Throws UnreadableFile past the bounds of a file. */
  add(line: number, { day, amountMinor, currency, text, bankId, raw }: FoundLine): void {
    const [cleanText, cleanId] = [clean(text), clean(bankId)];
    if (day > this.#lastDay) return this.reject(line, `${day} is after today`);
    if (!CURRENCIES.has(currency)) return this.reject(line, `${quoted(currency)} is not BRL or USD`);
    if (raw.length > RAW_MAX) return this.reject(line, `it has more than ${RAW_MAX} characters`);
    if (cleanText.length > TEXT_MAX)
      return this.reject(line, `its text has more than ${TEXT_MAX} characters`);
    if (cleanId.length > BANK_ID_MAX)
      return this.reject(line, `its document number has more than ${BANK_ID_MAX} characters`);
    this.#requireRoom(line);
    this.#rawSum += raw.length;
    if (this.#rawSum > RAW_SUM_MAX)
      throw new UnreadableFile(
        `the lines have more than ${RAW_SUM_MAX} characters: import them in parts`,
        line,
      );
    const key = `${day} ${amountMinor} ${cleanId}`;
    const ordinal = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, ordinal);
    this.#lines.push({ day, amountMinor, currency, text: cleanText, bankId: cleanId, ordinal, raw });
  }

  /** Rejects a line. Throws UnreadableFile past LINES_MAX. */
  reject(line: number, reason: string): void {
    this.#requireRoom(line);
    this.#rejected.push({ line, reason });
  }

  /** Notes a balance. The one of the last day stays. */
  setBalance(day: string, minor: bigint): void {
    if (this.#balance === null || this.#balance.day <= day) this.#balance = { day, minor };
  }

  toFile(): BankFile {
    return { lines: this.#lines, rejected: this.#rejected, balance: this.#balance };
  }

  #requireRoom(line: number): void {
    if (this.count >= LINES_MAX)
      throw new UnreadableFile(`the file has more than ${LINES_MAX} lines: import it in parts`, line);
  }
}

/** Returns a file's text within a reason: in quotes, and cut. */
export function quoted(text: string): string {
  const short = clean(text.slice(0, 10 * QUOTED_MAX));
  return `"${short.length > QUOTED_MAX ? `${short.slice(0, QUOTED_MAX)}…`.toWellFormed() : short}"`;
}

function clean(text: string): string {
  const whole = text.toWellFormed();
  return (UNCLEAN.test(whole) ? whole.replace(BLANKS, " ") : whole).trim();
}
