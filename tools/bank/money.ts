import { checkReturnId, Checks, readReturnTerms, readTime } from "./checks.ts";
import type { BankClock } from "./clock.ts";
import type { Ids } from "./ids.ts";
import { moneyBody, timeText, type TimeForm } from "./messages.ts";
import { Problem } from "./problem.ts";
import type { Fields, Account, Money, Return, ReturnNature, ReturnStatus } from "./state.ts";

const RETURN_DAYS = 90;
const LIST_DAYS = 5;
const DAY_MS = 86_400_000;
const PAGE_SIZE = 100;
const PAGE_SIZE_MAX = 1000;

/** How the bank carries out returns. */
export interface ReturnRules {
  /** What becomes of a return that a client asks for. */
  readonly outcome: ReturnStatus;
  readonly reason: string | null;
  /** False: a second request with one id is refused, though it is the same. */
  readonly isRepeatable: boolean;
}

/** Throws Problem if there is no such money. */
export function findMoney(account: Account, endToEndId: string): Money {
  const money = account.money.get(endToEndId);
  if (!money) throw new Problem("PixNaoEncontrado", "pix não encontrado para o e2eid informado");
  return money;
}

/** Throws Problem if there is no such return. */
export function findReturn(account: Account, endToEndId: string, id: string): Return {
  const found = account.money.get(endToEndId)?.returns.find((one) => one.id === id);
  if (!found)
    throw new Problem("PixDevolucaoNaoEncontrada", "devolução não encontrada para o e2eid informado");
  return found;
}

/** Finds a return for its client. Throws Problem, too, if it is hidden at present. */
export function shownReturn(account: Account, endToEndId: string, id: string, clock: BankClock): Return {
  const found = findReturn(account, endToEndId, id);
  if (found.hiddenUntil === null || found.hiddenUntil <= clock.now()) return found;
  throw new Problem("PixDevolucaoNaoEncontrada", "devolução não encontrada para o e2eid informado");
}

/** Starts a return, or finds the same one. Throws Problem. */
export function askReturn(
  money: Money,
  id: string,
  body: Fields,
  { clock, ids, rules }: { readonly clock: BankClock; readonly ids: Ids; readonly rules: ReturnRules },
): Return {
  checkReturnId(id);
  const { amountMinor, note } = readReturnTerms(body);
  const earlier = money.returns.find((one) => one.id === id);
  if (earlier) {
    if (rules.isRepeatable && earlier.amountMinor === amountMinor && earlier.note === note) return earlier;
    throw new Problem("PixDevolucaoInvalida", "id já utilizado por outra requisição de devolução");
  }
  if (clock.nowMs() - money.at.getTime() > RETURN_DAYS * DAY_MS) {
    throw new Problem("PixDevolucaoInvalida", "fora da janela de 90 dias");
  }
  return addReturn(money, { id, amountMinor, nature: "ORIGINAL", note }, clock, ids);
}

/** Books a return that is not final yet. Throws Problem if it is more than what is left. */
export function addReturn(
  money: Money,
  asked: { id: string; amountMinor: bigint; nature: ReturnNature; note: string | null },
  clock: BankClock,
  ids: Ids,
): Return {
  const counted = money.returns.filter(({ status }) => status !== "NAO_REALIZADO");
  const returned = counted.reduce((sum, one) => sum + one.amountMinor, 0n);
  if (returned + asked.amountMinor > money.amountMinor) {
    throw new Problem("PixDevolucaoInvalida", "excederia o valor do pix originário");
  }
  const requestedAt = clock.now();
  const made: Return = {
    ...asked,
    returnId: ids.returnId(requestedAt),
    requestedAt,
    isWithoutTimes: false,
    settledAt: null,
    status: "EM_PROCESSAMENTO",
    reason: null,
    hiddenUntil: null,
  };
  money.returns.push(made);
  return made;
}

export function endReturn(one: Return, status: ReturnStatus, reason: string | null, clock: BankClock): void {
  one.status = status;
  one.reason = reason;
  one.settledAt = status === "DEVOLVIDO" ? clock.now() : null;
}

/** Returns a page of the money of a period, newest first. Throws Problem. */
export function statement(account: Account, query: URLSearchParams, form: TimeForm): Fields {
  return pageOf(account, query, form, ({ at }) => [at]);
}

/**
 * Returns a page of Banco do Brasil's own list, of money by the times of its returns. A period has less than five days, and
 * one without a return is refused. Throws Problem.
 */
export function returnList(account: Account, query: URLSearchParams, form: TimeForm): Fields {
  const [from = 0, to = 0] = ["inicio", "fim"].map((name) => readTime(query.get(name))?.getTime());
  if (to - from >= LIST_DAYS * DAY_MS) throw new Problem("PixConsultaInvalida", "período de 5 dias ou mais");
  const found = pageOf(account, query, form, ({ returns }) => returns.map(({ requestedAt }) => requestedAt));
  const rows = found["pix"] as readonly Fields[];
  if (rows.length === 0) throw new Problem("NaoEncontrado", "entidade não encontrada");
  return { ...found, pix: rows.map(({ txid: _txid, ...row }) => row) };
}

function pageOf(
  account: Account,
  query: URLSearchParams,
  form: TimeForm,
  timesOf: (money: Money) => readonly Date[],
): Fields {
  const [from, to] = ["inicio", "fim"].map((name) => readTime(query.get(name), form !== "local_zulu"));
  const page = numberIn(query, "paginacao.paginaAtual", 0);
  const size = numberIn(query, "paginacao.itensPorPagina", PAGE_SIZE);
  const checks = new Checks();
  checks.that(from !== undefined, "inicio", "não respeita a RFC 3339");
  checks.that(to !== undefined, "fim", "não respeita a RFC 3339");
  checks.that(!from || !to || from <= to, "fim", "é anterior ao início");
  checks.that(Number.isInteger(page) && page >= 0, "paginacao.paginaAtual", "é inválido");
  checks.that(
    Number.isInteger(size) && size >= 1 && size <= PAGE_SIZE_MAX,
    "paginacao.itensPorPagina",
    "é inválido",
  );
  checks.that(!query.has("cpf") || !query.has("cnpj"), "cpf", "junto com cnpj");
  for (const name of ["txIdPresente", "devolucaoPresente"]) {
    checks.that(["true", "false", null].includes(query.get(name)), name, "não é um booleano");
  }
  checks.end("PixConsultaInvalida");
  const [inicio, fim] = [from as Date, to as Date];
  const found = [...account.money.values()]
    .filter((one) => timesOf(one).some((at) => at >= inicio && at <= fim) && isAsked(one, query))
    .toSorted(
      (one, other) => other.at.getTime() - one.at.getTime() || (one.endToEndId < other.endToEndId ? 1 : -1),
    );
  return {
    parametros: {
      inicio: timeText(inicio, form),
      fim: timeText(fim, form),
      paginacao: {
        paginaAtual: page,
        itensPorPagina: size,
        quantidadeDePaginas: Math.max(1, Math.ceil(found.length / size)),
        quantidadeTotalDeItens: found.length,
      },
    },
    pix: found.slice(page * size, (page + 1) * size).map((one) => moneyBody(one, form, true)),
  };
}

function isAsked({ txid, returns }: Money, query: URLSearchParams): boolean {
  const isWith = (name: string, has: boolean): boolean => (query.get(name) ?? String(has)) === String(has);
  return (
    (query.get("txid") ?? txid) === txid &&
    isWith("txIdPresente", txid !== null) &&
    isWith("devolucaoPresente", returns.length > 0) &&
    // The bank knows no payers.
    !query.has("cpf") &&
    !query.has("cnpj")
  );
}

function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  return /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
