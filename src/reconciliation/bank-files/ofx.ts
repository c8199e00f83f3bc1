import { amountIn } from "./amount.ts";
import { LineList, quoted, UnreadableFile, type BankFile } from "./line-list.ts";
import { LineNumbers } from "./line-numbers.ts";
import { OfxTimes } from "./ofx-time.ts";
import { valueIn } from "./ofx-value.ts";

/** Aggregates that end a transaction which has no end tag. */
const AROUND =
  "OFX BANKMSGSRSV1 CREDITCARDMSGSRSV1 STMTTRNRS CCSTMTTRNRS STMTRS CCSTMTRS BANKTRANLIST LEDGERBAL AVAILBAL BALLIST " +
  "BANKACCTFROM CCACCTFROM";
/** Aggregates in a transaction. */
const WITHIN = "PAYEE BANKACCTTO CCACCTTO CURRENCY ORIGCURRENCY";
/** Elements. Of them only those below are read; all end the value before them. */
const ELEMENTS =
  "TRNTYPE DTPOSTED DTUSER DTAVAIL TRNAMT FITID CORRECTFITID CORRECTACTION SRVRTID CHECKNUM REFNUM SIC PAYEEID NAME " +
  "EXTDNAME MEMO CURRATE CURSYM BANKID BRANCHID ACCTID ACCTTYPE ACCTKEY ADDR1 ADDR2 ADDR3 CITY STATE POSTALCODE COUNTRY " +
  "PHONE CURDEF BALAMT DTASOF DTSTART DTEND MKTGINFO";
const AROUND_TAGS: ReadonlySet<string> = new Set(AROUND.split(" "));
const WITHIN_TAGS: ReadonlySet<string> = new Set(WITHIN.split(" "));
// Other names in angle brackets are text: a payer may write anything in a memo.
const NAMES: ReadonlySet<string> = new Set([
  "STMTTRN",
  ...AROUND_TAGS,
  ...WITHIN_TAGS,
  ...ELEMENTS.split(" "),
]);
const TAGS = /<(\/?)([A-Z][A-Z0-9]{1,30}) ?(\/?)>/g;
const READ: ReadonlySet<string> = new Set(["DTPOSTED", "TRNAMT", "FITID", "NAME", "MEMO"]);
const FREE_TEXT: ReadonlySet<string> = new Set(["NAME", "MEMO"]);
const SINGLE: ReadonlySet<string> = new Set(["DTPOSTED", "TRNAMT", "FITID"]);
// A Brazilian bank may leave out the currency.
const CURRENCY = "BRL";

type Fields = Map<string, string>;

interface Transaction {
  readonly at: number;
  readonly fields: Fields;
  /** A field that occurs again. */
  repeated: string | null;
}

/**
 * Reads OFX, as SGML or XML, with closed and unclosed tags in one file: statements of one bank account or credit card.
 * Throws UnreadableFile if it has none, or more than LINES_MAX movements.
 */
export function readOfx(text: string, list = new LineList()): BankFile {
  return new OfxReader(text, list).read();
}

class OfxReader {
  readonly #text: string;
  readonly #numbers: LineNumbers;
  readonly #list: LineList;
  readonly #times = new OfxTimes();
  #transaction: Transaction | null = null;
  /** The aggregate in a transaction, or the balance, that the next elements are of. */
  #within = "";
  #currency = CURRENCY;
  #accountId: string | null = null;
  #balance: Fields | null = null;
  #hasList = false;
  #isListOpen = false;

  constructor(text: string, list: LineList) {
    this.#text = text;
    this.#list = list;
    this.#numbers = new LineNumbers(text);
  }

  read(): BankFile {
    let [element, from] = ["", 0];
    TAGS.lastIndex = 0;
    for (let tag = TAGS.exec(this.#text); tag !== null; tag = TAGS.exec(this.#text)) {
      const [, slash = "", name = "", empty = ""] = tag;
      if (!NAMES.has(name)) continue;
      if (element !== "") this.#set(element, from, tag.index);
      const isElement = name !== "STMTTRN" && !AROUND_TAGS.has(name) && !WITHIN_TAGS.has(name);
      [element, from] = [isElement && slash + empty === "" ? name : "", TAGS.lastIndex];
      if (!isElement) this.#aggregate(name, slash === "/" || empty === "/", tag.index, TAGS.lastIndex);
    }
    return this.#end();
  }

  #aggregate(name: string, isEnd: boolean, at: number, end: number): void {
    if (WITHIN_TAGS.has(name)) {
      this.#within = isEnd ? "" : name;
      return;
    }
    const isOwnEnd = name === "STMTTRN" && isEnd;
    if (this.#transaction) this.#finish(this.#transaction, isOwnEnd ? end : at);
    this.#transaction = name === "STMTTRN" && !isEnd ? { at, fields: new Map(), repeated: null } : null;
    this.#within = "";
    if (this.#balance) this.#noteBalance(this.#balance);
    this.#balance = name === "LEDGERBAL" && !isEnd ? new Map() : null;
    if (name === "STMTRS" || name === "CCSTMTRS") this.#currency = CURRENCY;
    if (name === "BANKTRANLIST") this.#hasList = true;
    // What follows a list ends it too.
    if (name !== "STMTTRN") this.#isListOpen = name === "BANKTRANLIST" && !isEnd;
  }

  #set(name: string, from: number, to: number): void {
    const value = valueIn(this.#text.slice(from, to), FREE_TEXT.has(name));
    if (this.#transaction) this.#setField(this.#transaction, name, value);
    else if (this.#balance) this.#balance.set(name, value);
    else if (name === "CURDEF") this.#currency = value.toUpperCase() || CURRENCY;
    else if (name === "ACCTID") this.#requireAccount(value, from);
  }

  #setField(transaction: Transaction, name: string, value: string): void {
    const { fields } = transaction;
    if (name === "CURSYM") {
      // The amount is in this currency. That of ORIGCURRENCY was converted.
      if (this.#within === "CURRENCY") fields.set(name, value.toUpperCase());
      return;
    }
    if (!READ.has(name)) return;
    const other = fields.get(name);
    if (SINGLE.has(name) && other !== undefined) transaction.repeated = name;
    fields.set(name, other === undefined || other === value ? value : `${other} ${value}`);
  }

  #finish({ at, fields, repeated }: Transaction, end: number): void {
    const line = this.#numbers.at(at);
    const label = `transaction ${this.#list.count + 1}`;
    if (repeated) return this.#list.reject(line, `${label} has two ${repeated}`);
    const [posted, amount] = [fields.get("DTPOSTED") ?? "", fields.get("TRNAMT") ?? ""];
    const day = this.#times.dayOf(posted);
    if (day === null) return this.#list.reject(line, `${label}: DTPOSTED ${quoted(posted)} is no day`);
    const amountMinor = amountIn(amount, null);
    if (amountMinor === null)
      return this.#list.reject(line, `${label}: TRNAMT ${quoted(amount)} is no amount`);
    this.#list.add(line, {
      day,
      amountMinor,
      currency: fields.get("CURSYM") || this.#currency,
      text: textOf(fields),
      bankId: fields.get("FITID") ?? "",
      raw: this.#text.slice(at, end),
    });
  }

  /** A balance is beside the lines: one that cannot be read is none. */
  #noteBalance(balance: Fields): void {
    const day = this.#times.dayOf(balance.get("DTASOF") ?? "");
    const minor = amountIn(balance.get("BALAMT") ?? "", null);
    if (day !== null && minor !== null) this.#list.setBalance(day, minor);
  }

  #requireAccount(id: string, at: number): void {
    if (this.#accountId !== null && this.#accountId !== id)
      throw new UnreadableFile(
        `the file is of two accounts, ${quoted(this.#accountId)} and ${quoted(id)}: import one file an account`,
        this.#numbers.at(at),
      );
    this.#accountId = id;
  }

  #end(): BankFile {
    const cut = this.#transaction;
    if (cut) {
      const label = `transaction ${this.#list.count + 1}`;
      this.#list.reject(this.#numbers.at(cut.at), `${label}: the file ends before it does`);
    } else if (this.#isListOpen) {
      const last = this.#numbers.at(this.#text.length);
      this.#list.reject(last, "the file ends before its list of transactions does: fetch it again");
    }
    if (this.#list.count === 0 && !this.#hasList)
      throw new UnreadableFile("the OFX file has no transactions");
    return this.#list.toFile();
  }
}

/** Returns a transaction's text: its name, and its memo if that says more. */
function textOf(fields: Fields): string {
  const [name, memo] = [fields.get("NAME") ?? "", fields.get("MEMO") ?? ""];
  return name === memo ? memo : `${name} ${memo}`.trim();
}
