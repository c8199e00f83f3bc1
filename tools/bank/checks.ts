import { Problem, type ProblemName, type Violation } from "./problem.ts";
import type { ChargeTerms, Fields } from "./state.ts";

// What the API Pix says of requests. Fields that it does not know are ignored, as it says nothing of them.

const TXID = /^[a-zA-Z0-9]{26,35}$/;
const RETURN_ID = /^[a-zA-Z0-9]{1,35}$/;
const AMOUNT = /^\d{1,10}\.\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Collects what is wrong with a request. */
export class Checks {
  readonly #violations: Violation[] = [];

  that(isRight: boolean, propriedade: string, razao: string): void {
    if (!isRight) this.#violations.push({ propriedade, razao });
  }

  /** Throws Problem if something was wrong. */
  end(problem: ProblemName): void {
    if (this.#violations.length > 0) throw new Problem(problem, "a requisição é inválida", this.#violations);
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Throws Problem if the body is no JSON object. */
export function readBody(text: string, contentType: string | undefined, problem: ProblemName): Fields {
  const checks = new Checks();
  checks.that(/^application\/json\b/i.test(contentType ?? ""), "content-type", "application/json");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  checks.that(isFields(value), "body", "não é um objeto JSON");
  checks.end(problem);
  return value as Fields;
}

export function checkTxid(txid: string): void {
  if (!TXID.test(txid)) throw new Problem("CobOperacaoInvalida", "txid inválido");
}

/** Returns a day of a report. Throws Problem. */
export function checkDay(day: unknown): string {
  if (typeof day === "string" && /^\d{4}-\d{2}-\d{2}$/.test(day)) return day;
  throw new Problem("RequisicaoInvalida", "dataMovimento não é uma data");
}

export function checkReturnId(id: string): void {
  if (!RETURN_ID.test(id)) throw new Problem("PixDevolucaoInvalida", "id inválido");
}

/** Reads the terms of a new charge, or of a revision of `earlier`. Throws Problem. */
export function readTerms(body: Fields, keys: readonly string[], earlier?: ChargeTerms): ChargeTerms {
  const checks = new Checks();
  const { calendario, valor, chave } = body;
  const rest = optionalOf(body);
  checks.that(
    isFields(calendario) || (earlier !== undefined && calendario === undefined),
    "calendario",
    "ausente",
  );
  const asked = isFields(calendario) ? calendario["expiracao"] : undefined;
  const seconds = asked ?? earlier?.seconds ?? 86_400;
  checks.that(isInt32(seconds) && seconds > 0, "calendario.expiracao", "não é um inteiro positivo");
  const original = isFields(valor) ? valor["original"] : undefined;
  const isKept = earlier !== undefined && valor === undefined;
  checks.that(isKept || isAmount(original), "valor.original", "não respeita o schema, ou é zero");
  const key = chave ?? earlier?.key;
  checks.that(typeof key === "string" && key.length <= 77, "chave", "não respeita o schema");
  checks.that(
    keys.some((own) => own === key),
    "chave",
    "não pertence a este usuário recebedor",
  );
  checkRest(checks, rest);
  checks.end("CobOperacaoInvalida");
  return {
    seconds: seconds as number,
    amountMinor: isAmount(original) ? minorOf(original) : (earlier?.amountMinor ?? 0n),
    key: key as string,
    rest: { ...earlier?.rest, ...rest },
  };
}

/** The optional fields that the bank keeps. */
function optionalOf(body: Fields): Fields {
  const names = ["devedor", "solicitacaoPagador", "infoAdicionais"];
  return Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

function checkRest(checks: Checks, { solicitacaoPagador, infoAdicionais, devedor }: Fields): void {
  checks.that(isTextOf(solicitacaoPagador ?? "", 140), "solicitacaoPagador", "não respeita o schema");
  const list: unknown = infoAdicionais ?? [];
  checks.that(
    Array.isArray(list) && list.length <= 50 && list.every(isInformation),
    "infoAdicionais",
    "não respeita o schema",
  );
  if (devedor === undefined) return;
  const { cpf, cnpj, nome } = isFields(devedor) ? devedor : {};
  const isPerson = typeof cpf === "string" && /^\d{11}$/.test(cpf) && cnpj === undefined;
  const isCompany = typeof cnpj === "string" && /^[0-9A-Z]{14}$/.test(cnpj) && cpf === undefined;
  checks.that((isPerson || isCompany) && isTextOf(nome, 200), "devedor", "não respeita o schema");
}

/** The amount of a return. Throws Problem. */
export function readReturnTerms(body: Fields): { amountMinor: bigint; note: string | null } {
  const { valor, natureza = "ORIGINAL", descricao = null } = body;
  const checks = new Checks();
  checks.that(isAmount(valor), "devolucao.valor", "não respeita o schema");
  checks.that(natureza === "ORIGINAL", "devolucao.natureza", "este Pix não é saque nem troco");
  checks.that(descricao === null || isTextOf(descricao, 140), "devolucao.descricao", "não respeita o schema");
  checks.end("PixDevolucaoInvalida");
  return { amountMinor: minorOf(valor as string), note: descricao as string | null };
}

/** Reads a time with its zone, which some banks do not regard. */
export function readTime(text: string | null, isZoneRead = true): Date | undefined {
  if (text === null || !TIME.test(text)) return undefined;
  const time = new Date(isZoneRead ? text : text.replace(/(Z|[+-]\d{2}:\d{2})$/, "-03:00"));
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function isAmount(value: unknown): value is string {
  return typeof value === "string" && AMOUNT.test(value) && minorOf(value) > 0n;
}

function isInformation(value: unknown): boolean {
  return isFields(value) && isTextOf(value["nome"], 50) && isTextOf(value["valor"], 200);
}

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;
}

/** Lengths are of characters, as JSON Schema counts them. */
function isTextOf(value: unknown, max: number): boolean {
  return typeof value === "string" && Array.from(value).length <= max;
}

function minorOf(amount: string): bigint {
  return BigInt(amount.replace(".", ""));
}
