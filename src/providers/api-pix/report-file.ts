import { dayAt } from "../../../contract/day.ts";
import type { DayBalance, LineKind, StatementLine } from "../account-statement.ts";
import { isProviderId, unreadable } from "../answer-fields.ts";
import { ReadableRows } from "../readable-rows.ts";

/** A day's report: its movements, and the balances that it states. */
export interface ReportFile extends DayBalance {
  readonly lines: readonly StatementLine[];
  /** The number of records that cannot be read. */
  readonly setAsideCount: number;
}

const HEADER = "CA";
const TRAILER = "T";
const OPENING = "SDA";
const CLOSING = "SD";

/**
 * The records, by the words of the bank for what is asked for. PR, TPR, CA and T are as its users describe them; the others
 * are read by their initials.
 */
const RECORDS: Readonly<Record<string, readonly [kind: LineKind, sign: bigint, name: string]>> = {
  PR: ["received", 1n, "Pix recebido"],
  TPR: ["fee", -1n, "Tarifa Pix recebido"],
  ETPR: ["fee", 1n, "Estorno tarifa Pix recebido"],
  PDE: ["return", -1n, "Pix devolução enviada"],
  PDR: ["transfer", 1n, "Pix devolução recebida"],
  PEC: ["transfer", -1n, "Pix enviado por chave"],
  PEDB: ["transfer", -1n, "Pix enviado por dados bancários"],
  EPE: ["transfer", 1n, "Estorno Pix enviado"],
  TPE: ["fee", -1n, "Tarifa Pix enviado"],
  ETPE: ["fee", 1n, "Estorno tarifa Pix enviado"],
  TE: ["transfer", -1n, "Transferência enviada"],
  TR: ["transfer", 1n, "Transferência recebida"],
  ETE: ["transfer", 1n, "Estorno transferência enviada"],
  TTE: ["fee", -1n, "Tarifa transferência enviada"],
  ETTE: ["fee", 1n, "Estorno tarifa transferência enviada"],
};

// The fields of a record are known by their forms: their places differ from one record to the other.
const AMOUNT = /^(-?)(\d{1,13})[.,](\d{2})$/;
const END_TO_END_ID = /^E\d{8}\d{12}[0-9A-Za-z]{11}$/;
const TXID = /^[0-9A-Za-z]{26,35}$/;
const OWN_REFUND = /^ref[0-9a-z]{26}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the text of a day's report. A record that cannot be read is counted; one of an unknown name is kept. Throws
 * ProviderFault for a text that is no whole report of that day.
 */
export function readReport(text: string, day: string): ReportFile {
  const records = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const header = fieldsOf(records[0] ?? "");
  if (header[0] !== HEADER || !header.includes(day)) throw unreadable(HEADER);
  if (records.length < 2 || fieldsOf(records.at(-1) ?? "")[0] !== TRAILER) throw unreadable(TRAILER);
  const rows = new ReadableRows();
  const counts = new Map<string, number>();
  const balances = new Map<string, bigint>();
  const lines = records.slice(1, -1).flatMap((record) =>
    rows.readable(() => {
      const [name = ""] = fieldsOf(record);
      if (name !== OPENING && name !== CLOSING) return [readLine(record, day, counts)];
      balances.set(name, amountOf(fieldsOf(record)));
      return [];
    }),
  );
  return {
    lines,
    setAsideCount: rows.setAsideCount,
    openingMinor: balances.get(OPENING) ?? null,
    closingMinor: balances.get(CLOSING) ?? null,
  };
}

/** `counts`: how many records there were before of each id, as one payment may have several of one name. */
function readLine(record: string, day: string, counts: Map<string, number>): StatementLine {
  const fields = fieldsOf(record);
  const [name = "", protocol] = fields;
  if (!isProviderId(name) || !isProviderId(protocol)) throw unreadable("record");
  const known = Object.hasOwn(RECORDS, name) ? RECORDS[name] : undefined;
  const amountMinor = amountOf(fields);
  const endToEndId = fields.find((field) => END_TO_END_ID.test(field)) ?? null;
  const time = fields.findLast((field) => TIME.test(field));
  const isOurs = fields.some((field) => OWN_REFUND.test(field));
  const common = `${name} ${protocol}`;
  const count = (counts.get(common) ?? 0) + 1;
  counts.set(common, count);
  return {
    id: count === 1 ? common : `${common} ${count}`,
    kind: known ? (known[0] === "return" && isOurs ? "refund" : known[0]) : "other",
    amountMinor: known ? known[1] * worthOf(amountMinor) : amountMinor,
    currency: "BRL",
    day,
    at: time === undefined ? null : timeOf(time, day),
    reference: fields.slice(2).find((field) => isTxid(field)) ?? null,
    endToEndId,
    providerPaymentId: endToEndId,
    installment: null,
    settlementId: null,
    text: known ? `${name} ${known[2]}` : name,
    balanceMinor: null,
    raw: record,
  };
}

/** The ids of money and of returns have the form of a txid, too. */
function isTxid(field: string): boolean {
  return TXID.test(field) && !/^[ED]\d{20}/.test(field) && !OWN_REFUND.test(field);
}

function fieldsOf(record: string): string[] {
  return record.split(";").map((field) => field.trim());
}

/** Returns the centavos of a record, which may be below 0. Throws ProviderFault if it has none. */
function amountOf(fields: readonly string[]): bigint {
  const [, sign = "", whole, cents] = AMOUNT.exec(fields.find((field) => AMOUNT.test(field)) ?? "") ?? [];
  if (whole === undefined || cents === undefined) throw unreadable("amount");
  const minor = BigInt(whole + cents);
  return sign === "" ? minor : -minor;
}

/** A time of another day is none: the day of the report is that on which a movement is booked. */
function timeOf(text: string, day: string): Date | null {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && dayAt(time.getTime()).toString() === day ? time : null;
}

function worthOf(minor: bigint): bigint {
  return minor < 0n ? -minor : minor;
}
