import { ProviderFault } from "../providers/provider-fault.ts";
import type { ProviderReturn, ReceivedMoney, RefundStatus } from "../providers/ports.ts";
import { isObject, type Fields } from "./answers.ts";

// Reads answers as banks give them: a field that is null is absent, amounts and states may be of another type.

/** A charge as its bank has it. */
export interface Cob {
  readonly txid: string;
  /** The key that is paid; null if the answer leaves it out. */
  readonly pixKey: string | null;
  readonly amountMinor: bigint;
  readonly status: string;
  /** The BR Code; null if the answer has none. */
  readonly code: string | null;
  /** Without its scheme; null if the answer has none. */
  readonly location: string | null;
  /** The money of the account's key. */
  readonly money: readonly ReceivedMoney[];
}

/** A page of a statement. */
export interface StatementPage {
  /** The money of the account's key. */
  readonly money: readonly ReceivedMoney[];
  /** The ids of all rows, also of those of other keys. */
  readonly ids: readonly string[];
  readonly pages: number;
  readonly total: number;
}

// The API Pix has ids of letters and digits alone: ours are sent without their separator.
const OWN_REFUND = /^ref([0-9a-z]{26})$/;
const RETURN_STATUSES: ReadonlyMap<string, RefundStatus> = new Map([
  ["EM_PROCESSAMENTO", "processing"],
  ["DEVOLVIDO", "succeeded"],
  ["NAO_REALIZADO", "failed"],
]);

// An endToEndId has 32 characters, a txid 35 at most.
// Its text is for people; the standard's own has up to 140 characters.
const REASON_CHARACTERS_MAX = 140;
const ID_LENGTH_MAX = 64;

const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Returns centavos in the text of the API Pix. */
export function amountText(amountMinor: bigint): string {
  const digits = amountMinor.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Throws ProviderFault if the answer is no charge. */
export function readCob(fields: Fields, codeFields: readonly string[], pixKey: string): Cob {
  const value = isObject(fields["valor"]) ? fields["valor"] : {};
  const loc = isObject(fields["loc"]) ? fields["loc"] : {};
  const code = codeFields.map((name) => fields[name]).find((text) => typeof text === "string" && text !== "");
  const location = fields["location"] ?? loc["location"];
  return {
    txid: textIn(fields, "txid"),
    pixKey: typeof fields["chave"] === "string" ? fields["chave"] : null,
    amountMinor: amountIn(value, "original"),
    status: textIn(fields, "status"),
    code: typeof code === "string" ? code : null,
    location: typeof location === "string" && location !== "" ? withoutScheme(location) : null,
    money: ofKey(listIn(fields, "pix"), pixKey).map(readMoney),
  };
}

/** Throws ProviderFault if the answer is no page of a statement. */
export function readStatement(fields: Fields, pixKey: string): StatementPage {
  const { parametros } = fields;
  if (!isObject(parametros) && fields["pix"] == null) throw unreadable("pix");
  const paging = isObject(parametros) && isObject(parametros["paginacao"]) ? parametros["paginacao"] : {};
  const rows = listIn(fields, "pix");
  return {
    money: ofKey(rows, pixKey).map(readMoney),
    ids: rows.map((row) => idIn(row, "endToEndId")),
    pages: countIn(paging, "quantidadeDePaginas") ?? 1,
    total: countIn(paging, "quantidadeTotalDeItens") ?? rows.length,
  };
}

/** Returns true if two texts are one key: addresses and random keys are written in either case. */
export function isSameKey(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** A bank's account has several keys. What came to another one is not ours. */
function ofKey(rows: readonly Fields[], pixKey: string): readonly Fields[] {
  return rows.filter(({ chave }) => typeof chave !== "string" || isSameKey(chave, pixKey));
}

/** Throws ProviderFault if the answer is no received money. */
function readMoney(fields: Fields): ReceivedMoney {
  const providerPaymentId = idIn(fields, "endToEndId");
  const { txid } = fields;
  const isReference = typeof txid === "string" && txid !== "" && txid.length <= ID_LENGTH_MAX;
  return {
    providerPaymentId,
    reference: isReference ? txid : null,
    amountMinor: amountIn(fields, "valor"),
    paidAt: timeIn(fields, "horario"),
    returns: listIn(fields, "devolucoes").map((one) => readReturn(one, providerPaymentId)),
  };
}

/** Throws ProviderFault if the answer is no return. */
export function readReturn(fields: Fields, providerPaymentId: string): ProviderReturn {
  const times = isObject(fields["horario"]) ? fields["horario"] : {};
  const status = RETURN_STATUSES.get(textIn(fields, "status"));
  if (status === undefined) throw unreadable("status");
  const requestedAt = timeIn(times, "solicitacao");
  const reason = fields["motivo"] ?? fields["natureza"];
  return {
    id: idIn(fields, "id").replace(OWN_REFUND, "ref_$1"),
    providerPaymentId,
    amountMinor: amountIn(fields, "valor"),
    status,
    reason: typeof reason === "string" ? reason.slice(0, REASON_CHARACTERS_MAX) : null,
    requestedAt,
    endedAt:
      status === "processing"
        ? null
        : times["liquidacao"] == null
          ? requestedAt
          : timeIn(times, "liquidacao"),
  };
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value === "") throw unreadable(name);
  return value;
}

function idIn(fields: Fields, name: string): string {
  const id = textIn(fields, name);
  if (id.length > ID_LENGTH_MAX) throw unreadable(name);
  return id;
}

/** Returns the objects of a list, which may be absent. */
function listIn(fields: Fields, name: string): readonly Fields[] {
  const list = fields[name] ?? [];
  if (!Array.isArray(list) || !list.every(isObject)) throw unreadable(name);
  return list;
}

/** Reads centavos from the amount's own digits, never through a calculation with a float. */
function amountIn(fields: Fields, name: string): bigint {
  const [, whole, cents = ""] = /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(String(fields[name])) ?? [];
  if (whole === undefined) throw unreadable(name);
  return BigInt(whole) * 100n + BigInt(cents.padEnd(2, "0"));
}

/** Reads a time. One without a zone is São Paulo's. */
function timeIn(fields: Fields, name: string): Date {
  const [, day, second, fraction = "", zone = "-03:00"] = TIME.exec(textIn(fields, name)) ?? [];
  const offset = zone.toUpperCase() === "Z" ? "Z" : zone.replace(/:?(\d{2})$/, ":$1");
  const time = new Date(`${day}T${second}.${fraction.slice(0, 3).padEnd(3, "0")}${offset}`);
  if (day === undefined || Number.isNaN(time.getTime())) throw unreadable(name);
  return time;
}

function countIn(fields: Fields, name: string): number | undefined {
  const count = Number(fields[name] ?? Number.NaN);
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function withoutScheme(location: string): string {
  return location.replace(/^https?:\/\//i, "");
}

export function unreadable(field: string): ProviderFault {
  return new ProviderFault("unknown", `an answer's ${field} cannot be read`, { code: "unreadable" });
}
