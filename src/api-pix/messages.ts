import { ProviderFault } from "../providers/provider-fault.ts";
import type { PixCode, ProviderReturn, ReceivedMoney, RefundStatus } from "../providers/ports.ts";
import { isObject, type Fields } from "./answers.ts";

// Reads answers as banks give them: a field that is null is absent, amounts and states may be of another type.

/** A charge as its bank has it. */
export interface Cob {
  readonly txid: string;
  /** The key that is paid; null if the answer leaves it out. */
  readonly pixKey: string | null;
  readonly amountMinor: bigint;
  readonly status: string;
  readonly code: PixCode;
  readonly money: readonly ReceivedMoney[];
}

/** A page of a statement. */
export interface StatementPage {
  readonly money: readonly ReceivedMoney[];
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

/** Returns centavos in the text of the API Pix. */
export function amountText(amountMinor: bigint): string {
  const digits = amountMinor.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Throws ProviderFault if the answer is no charge. */
export function readCob(fields: Fields, codeFields: readonly string[]): Cob {
  const value = isObject(fields["valor"]) ? fields["valor"] : {};
  const loc = isObject(fields["loc"]) ? fields["loc"] : {};
  const code = codeFields.map((name) => fields[name]).find((text) => typeof text === "string" && text !== "");
  const money = fields["pix"];
  return {
    txid: textIn(fields, "txid"),
    pixKey: typeof fields["chave"] === "string" ? fields["chave"] : null,
    amountMinor: amountIn(value, "original"),
    status: textIn(fields, "status"),
    code: {
      code: typeof code === "string" ? code : null,
      location: withoutScheme(textIn(fields["location"] == null ? loc : fields, "location")),
    },
    money: Array.isArray(money) ? money.filter(isObject).map(readMoney) : [],
  };
}

/** Throws ProviderFault if the answer is no page of a statement. */
export function readStatement(fields: Fields): StatementPage {
  const { pix: money, parametros } = fields;
  const paging = isObject(parametros) && isObject(parametros["paginacao"]) ? parametros["paginacao"] : {};
  if (money != null && !Array.isArray(money)) throw unreadable("pix");
  const rows = (money ?? []) as unknown[];
  return {
    money: rows.filter(isObject).map(readMoney),
    pages: countIn(paging, "quantidadeDePaginas") ?? 1,
    total: countIn(paging, "quantidadeTotalDeItens") ?? rows.length,
  };
}

/** Throws ProviderFault if the answer is no received money. */
export function readMoney(fields: Fields): ReceivedMoney {
  const providerPaymentId = textIn(fields, "endToEndId");
  const returns = fields["devolucoes"];
  return {
    providerPaymentId,
    reference: typeof fields["txid"] === "string" && fields["txid"] !== "" ? fields["txid"] : null,
    amountMinor: amountIn(fields, "valor"),
    paidAt: timeIn(fields, "horario"),
    returns: Array.isArray(returns)
      ? returns.filter(isObject).map((one) => readReturn(one, providerPaymentId))
      : [],
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
    id: textIn(fields, "id").replace(OWN_REFUND, "ref_$1"),
    providerPaymentId,
    amountMinor: amountIn(fields, "valor"),
    status,
    reason: typeof reason === "string" ? reason : null,
    requestedAt,
    endedAt:
      times["liquidacao"] == null
        ? status === "processing"
          ? null
          : requestedAt
        : timeIn(times, "liquidacao"),
  };
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value === "") throw unreadable(name);
  return value;
}

/** Reads centavos from the amount's own digits, never through a calculation with a float. */
function amountIn(fields: Fields, name: string): bigint {
  const [, whole, cents = ""] = /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(String(fields[name])) ?? [];
  if (whole === undefined) throw unreadable(name);
  return BigInt(whole) * 100n + BigInt(cents.padEnd(2, "0"));
}

/** Reads a time. One without a zone is São Paulo's. */
function timeIn(fields: Fields, name: string): Date {
  const text = textIn(fields, name);
  const time = new Date(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}-03:00`);
  if (Number.isNaN(time.getTime())) throw unreadable(name);
  return time;
}

function countIn(fields: Fields, name: string): number | undefined {
  const count = Number(fields[name] ?? Number.NaN);
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function withoutScheme(location: string): string {
  return location.replace(/^https?:\/\//i, "");
}

function unreadable(field: string): ProviderFault {
  return new ProviderFault("unknown", `an answer's ${field} cannot be read`, { code: "unreadable" });
}
