import { holdsCardNumber } from "../../../contract/card-number.ts";
import { visibleText } from "../../../contract/visible-text.ts";
import type { ProviderReturn, ReceivedMoney, RefundStatus } from "../ports.ts";
import { isObject, isProviderId, unreadable, type Fields } from "../answers.ts";
import { isSameKey } from "./pix-key.ts";
import { ReadableRows } from "../readable-rows.ts";

// Reads answers as banks give them: a field that is null is absent, amounts and states may be of another type.

/** What the answers of an account are read with. */
export interface ReadWith {
  readonly pixKey: string;
  /** The present. */
  readonly seenAt: Date;
  /** The offset of times that are labelled as UTC; absent: they are UTC. */
  readonly clockOffset?: string | undefined;
}

/** A charge as its bank has it. */
export interface Cob {
  readonly txid: string;
  /** The key that is paid; null if the answer leaves it out. */
  readonly pixKey: string | null;
  readonly amountMinor: bigint;
  readonly status: string;
  /** By the bank's clock; null if the answer has no time that can be read. */
  readonly createdAt: Date | null;
  /** How long it can be paid after that. */
  readonly seconds: number;
  /** The BR Code; null if the answer has none. */
  readonly code: string | null;
  /** Without its scheme; null if the answer has none. */
  readonly location: string | null;
  /** The money of the account's key. */
  readonly money: readonly ReceivedMoney[];
  /** The number of rows of money and of returns that cannot be read. */
  readonly setAsideCount: number;
}

/** A page of a statement. */
export interface StatementPage {
  /** The money of the account's key. */
  readonly money: readonly ReceivedMoney[];
  /** The ids of all rows, also of those of other keys. */
  readonly ids: readonly string[];
  readonly rowCount: number;
  /** The number of rows of money and of returns that cannot be read. */
  readonly setAsideCount: number;
  /** Null: the bank does not say. */
  readonly pages: number | null;
  readonly total: number | null;
}

// The API Pix has ids of letters and digits alone: ours are sent without their separator.
const OWN_REFUND = /^ref([0-9a-z]{26})$/;
const RETURN_STATUSES: ReadonlyMap<string, RefundStatus> = new Map([
  ["EM_PROCESSAMENTO", "processing"],
  ["DEVOLVIDO", "succeeded"],
  ["NAO_REALIZADO", "failed"],
  // Banco do Brasil's own, of a return by MED.
  ["DEVOLUCAO_MED", "succeeded"],
]);

// Of a charge, by the standard.
const SECONDS_DEFAULT = 86_400;
// Its text is for people; the standard's own has up to 140 characters.
const REASON_CHARACTERS_MAX = 140;
// The standard's, of a debtor.
const NAME_CHARACTERS_MAX = 200;
const CONTROL = /\p{Cc}/u;
// PIX is younger, and the database has no other times than these.
const [YEAR_MIN, YEAR_MAX] = [2000, 9999];

const UTC = /^(?:Z|[+-]00:?00)$/i;
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Returns centavos in the text of the API Pix. */
export function amountText(amountMinor: bigint): string {
  const digits = amountMinor.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Throws ProviderFault if the answer is no charge. */
export function readCob(fields: Fields, codeFields: readonly string[], readWith: ReadWith): Cob {
  const value = isObject(fields["valor"]) ? fields["valor"] : {};
  const loc = isObject(fields["loc"]) ? fields["loc"] : {};
  const code = codeFields.map((name) => fields[name]).find((text) => typeof text === "string" && text !== "");
  const location = fields["location"] ?? loc["location"];
  const calendar = isObject(fields["calendario"]) ? fields["calendario"] : {};
  const rows = new ReadableRows();
  const money = moneyIn(listIn(fields, "pix"), readWith, rows);
  return {
    txid: textIn(fields, "txid"),
    pixKey: typeof fields["chave"] === "string" ? fields["chave"] : null,
    amountMinor: amountIn(value, "original"),
    status: textIn(fields, "status"),
    createdAt: timeOrNull(calendar, "criacao", readWith),
    seconds: countIn(calendar, "expiracao") ?? SECONDS_DEFAULT,
    code: typeof code === "string" ? code : null,
    location: typeof location === "string" && location !== "" ? withoutScheme(location) : null,
    money,
    setAsideCount: rows.setAsideCount,
  };
}

/** Throws ProviderFault if the answer is no page of a statement. */
export function readStatement(fields: Fields, readWith: ReadWith): StatementPage {
  const { parametros } = fields;
  if (!isObject(parametros) && fields["pix"] == null) throw unreadable("pix");
  const paging = isObject(parametros) && isObject(parametros["paginacao"]) ? parametros["paginacao"] : {};
  const list = listIn(fields, "pix");
  const rows = new ReadableRows();
  const money = moneyIn(list, readWith, rows);
  return {
    money,
    ids: list.flatMap((row) => (isObject(row) && isProviderId(row["endToEndId"]) ? [row["endToEndId"]] : [])),
    rowCount: list.length,
    setAsideCount: rows.setAsideCount,
    pages: countIn(paging, "quantidadeDePaginas") ?? null,
    total: countIn(paging, "quantidadeTotalDeItens") ?? null,
  };
}

/** Returns the money that can be read. A bank's account has several keys: what came to another one is not ours. */
function moneyIn(list: readonly unknown[], readWith: ReadWith, rows: ReadableRows): readonly ReceivedMoney[] {
  const ofKey = list.filter((row) => {
    const key = isObject(row) ? row["chave"] : undefined;
    return typeof key !== "string" || isSameKey(key, readWith.pixKey);
  });
  return rows.read(ofKey, (fields) => readMoney(fields, readWith, rows));
}

/** Throws ProviderFault if the row is no received money. Returns of it that cannot be read are set aside. */
function readMoney(fields: Fields, readWith: ReadWith, rows: ReadableRows): ReceivedMoney {
  const providerPaymentId = idIn(fields, "endToEndId");
  const { txid } = fields;
  return {
    providerPaymentId,
    reference: isProviderId(txid) ? txid : null,
    amountMinor: amountIn(fields, "valor"),
    paidAt: timeIn(fields, "horario", readWith),
    ...payerNameIn(fields),
    returns: rows.read(listIn(fields, "devolucoes"), (one) => readReturn(one, providerPaymentId, readWith)),
  };
}

/** Many banks add it to the standard's money. A text that cannot be a name is left out: the money is good without it. */
function payerNameIn({ pagador }: Fields): Pick<ReceivedMoney, "payerName"> {
  const name = isObject(pagador) && typeof pagador["nome"] === "string" ? visibleText(pagador["nome"]) : "";
  if (name === "" || CONTROL.test(name) || holdsCardNumber(name)) return {};
  return { payerName: Array.from(name).slice(0, NAME_CHARACTERS_MAX).join("") };
}

/** A time that the answer leaves out is the present. Throws ProviderFault if the answer is no return. */
export function readReturn(fields: Fields, providerPaymentId: string, readWith: ReadWith): ProviderReturn {
  const times = isObject(fields["horario"]) ? fields["horario"] : {};
  const status = RETURN_STATUSES.get(textIn(fields, "status"));
  if (status === undefined) throw unreadable("status");
  const reason = fields["motivo"] ?? fields["natureza"];
  return {
    id: idIn(fields, "id").replace(OWN_REFUND, "ref_$1"),
    providerPaymentId,
    amountMinor: amountIn(fields, "valor"),
    status,
    reason: typeof reason === "string" ? reasonText(reason) : null,
    requestedAt: times["solicitacao"] == null ? readWith.seenAt : timeIn(times, "solicitacao", readWith),
    endedAt:
      status === "processing"
        ? null
        : times["liquidacao"] == null
          ? readWith.seenAt
          : timeIn(times, "liquidacao", readWith),
    ...(status === "succeeded" && times["liquidacao"] == null && { isUntimed: true }),
  };
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value === "") throw unreadable(name);
  return value;
}

function idIn(fields: Fields, name: string): string {
  const id = fields[name];
  if (!isProviderId(id)) throw unreadable(name);
  return id;
}

/** Returns a text as the database can store it. */
function reasonText(text: string): string {
  return text.slice(0, REASON_CHARACTERS_MAX).replaceAll("\0", "").toWellFormed();
}

/** Returns a list, which may be absent. */
function listIn(fields: Fields, name: string): readonly unknown[] {
  const list = fields[name] ?? [];
  if (!Array.isArray(list)) throw unreadable(name);
  return list;
}

/** Reads centavos, at least one, from the amount's own digits, never through a calculation with a float. */
function amountIn(fields: Fields, name: string): bigint {
  const [, whole, cents = ""] = /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(plainIn(fields, name)) ?? [];
  const amountMinor = BigInt(whole ?? 0) * 100n + BigInt(cents.padEnd(2, "0"));
  if (amountMinor === 0n) throw unreadable(name);
  return amountMinor;
}

/** Reads a time. One without a zone is São Paulo's. */
function timeIn(fields: Fields, name: string, { clockOffset = "Z" }: ReadWith): Date {
  const match = TIME.exec(textIn(fields, name));
  if (!match) throw unreadable(name);
  const [, day, second, fraction = "", zone = "-03:00"] = match;
  const offset = UTC.test(zone) ? clockOffset : zone.replace(/:?(\d{2})$/, ":$1");
  const time = new Date(`${day}T${second}.${fraction.slice(0, 3).padEnd(3, "0")}${offset}`);
  const year = time.getUTCFullYear();
  // Of no time at all, the year is not a number.
  if (!(year >= YEAR_MIN && year <= YEAR_MAX)) throw unreadable(name);
  return time;
}

function timeOrNull(fields: Fields, name: string, readWith: ReadWith): Date | null {
  try {
    return timeIn(fields, name, readWith);
  } catch {
    return null;
  }
}

function countIn(fields: Fields, name: string): number | undefined {
  const text = plainIn(fields, name);
  const count = Number(text);
  return text !== "" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** Returns a text or a number as text; empty for anything else. */
function plainIn(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function withoutScheme(location: string): string {
  return location.replace(/^https?:\/\//i, "");
}
