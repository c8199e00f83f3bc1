import type { BankClock } from "./clock.ts";
import { altered, endless, type CallName, type Fault, type Faults } from "./faults.ts";
import type { Ids } from "./ids.ts";
import type { TimeForm } from "./messages.ts";
import type { ReturnRules } from "./money.ts";
import { Problem, problemOf } from "./problem.ts";
import { routeOf } from "./routes.ts";
import type { BankAnswer, BankRequest } from "./server.ts";
import type { Account, ReturnStatus } from "./state.ts";
import { TokenRefusal, type Tokens } from "./tokens.ts";

export const BASE = "/v2";
export const TOKEN_PATH = "/oauth/token";

const NEW_MS = 60_000;
const HTML = "<html><body><h1>Manutenção programada</h1></body></html>";

/** A request that the bank received, its fault, and the status of its answer; null if it gave none. */
export interface ReceivedRequest extends Omit<BankRequest, "url"> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly call: CallName | null;
  readonly fault: Fault["kind"] | null;
  readonly status: number | null;
  readonly answer: string;
}

export interface AnsweringDeps {
  readonly clock: BankClock;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly requests: ReceivedRequest[];
  readonly ids: Ids;
  readonly accounts: readonly Account[];
  /** What happens at the bank by itself, and how it answers. */
  readonly bank: {
    readonly timeForm: TimeForm;
    readonly returnRules: ReturnRules;
    readonly isHttpAllowed: boolean;
    readonly reportWaits: number;
    payKey(amountMinor: bigint, options: { readonly at: Date }): unknown;
    endReturn(endToEndId: string, id: string, status: ReturnStatus, reason: string | null): void;
    hideReturn(endToEndId: string, id: string, seconds: number): void;
  };
}

/** Answers requests, with the faults that wait for them. */
export class Answering {
  readonly #deps: AnsweringDeps;

  constructor(deps: AnsweringDeps) {
    this.#deps = deps;
  }

  answer(request: BankRequest): BankAnswer {
    const { method, url, headers, text } = request;
    const path = url.pathname;
    const found = path.startsWith(BASE) ? routeOf(method, path.slice(BASE.length)) : undefined;
    const call = path === TOKEN_PATH && method === "POST" ? "token" : (found?.route.call ?? null);
    const fault = call === null ? undefined : this.#deps.faults.take(call, url.searchParams);
    const made = this.#answered(request, call, found, fault);
    const query = Object.fromEntries(url.searchParams);
    const outcome = { fault: fault?.kind ?? null, status: made?.status ?? null, answer: made?.text ?? "" };
    this.#deps.requests.push({ method, path, query, call, headers, text, ...outcome });
    return made;
  }

  #answered(
    request: BankRequest,
    call: CallName | null,
    found: ReturnType<typeof routeOf>,
    fault: Fault | undefined,
  ): BankAnswer {
    try {
      if (fault?.kind === "cut") return null;
      if (fault?.kind === "hang") return undefined;
      if (fault?.kind === "busy") return busy(fault.retryAfter);
      if (fault?.kind === "text") return { ...fault, contentType: "application/json" };
      refuse(fault);
      const made = call === "token" ? this.#token(request) : this.#carriedOut(request, found, fault);
      return fault === undefined ? made : this.#failed(made, fault, request);
    } catch (error) {
      if (error instanceof Problem) return problemAnswer(error);
      if (error instanceof TokenRefusal) return json(error.status, { error: error.message });
      throw error;
    }
  }

  #token({ headers, text, url }: BankRequest): NonNullable<BankAnswer> {
    const { authorization = "", "content-type": contentType = "" } = headers;
    const { tokens, accounts } = this.#deps;
    return json(200, tokens.issue(accounts, { authorization, text, contentType, query: url.searchParams }));
  }

  #carriedOut(
    { headers, url, text }: BankRequest,
    found: ReturnType<typeof routeOf>,
    fault?: Fault,
  ): NonNullable<BankAnswer> {
    if (!found) throw new Problem("NaoEncontrado", "o recurso não existe");
    const { route, parts } = found;
    const { tokens, clock, ids, bank } = this.#deps;
    const { timeForm: form, returnRules: rules, isHttpAllowed, reportWaits } = bank;
    const account = tokens.accountOf(headers.authorization ?? "", route.scope);
    const made = route.carryOut({
      account,
      parts,
      query: url.searchParams,
      text,
      contentType: headers["content-type"],
      clock,
      ids,
      form,
      rules,
      isHttpAllowed,
      reportWaits,
      onReturn: (money, { id }) => {
        if (rules.outcome !== "EM_PROCESSAMENTO") {
          bank.endReturn(money.endToEndId, id, rules.outcome, rules.reason);
        }
      },
    });
    if ("text" in made) return { status: 200, contentType: "text/csv; charset=utf-8", text: made.text };
    const { status, body } = made;
    if (body === null) return { status, contentType: null, text: "" };
    if (fault?.kind === "refused_yet_made") {
      const [endToEndId = "", id = ""] = parts;
      bank.hideReturn(endToEndId, id, fault.hiddenSeconds);
      const refusal = problemAnswer(new Problem("PixDevolucaoInvalida", "devolução recusada"));
      return { ...refusal, status: fault.status };
    }
    if (fault?.kind === "endless") return json(status, endless(body, fault.rows, fault.pages, ids));
    return json(status, fault?.kind === "charge" ? altered(body, fault.alteration) : body);
  }

  /** What becomes of an answer that was made. */
  #failed(made: NonNullable<BankAnswer>, fault: Fault, { url }: BankRequest): BankAnswer {
    if (fault.kind === "lost") return null;
    if (fault.kind === "silent") return undefined;
    if (fault.kind === "html") return { status: fault.status, contentType: "text/html", text: HTML };
    if (fault.kind === "empty") return { status: fault.status, contentType: null, text: "" };
    if (fault.kind === "drift") {
      const { bank, clock } = this.#deps;
      const end = Date.parse(url.searchParams.get("fim") ?? "");
      const earliest = fault.isNew ? clock.nowMs() - NEW_MS : end;
      bank.payKey(fault.amountMinor, { at: new Date(Math.max(end, earliest)) });
    }
    return made;
  }
}

/** Throws Problem if a fault refuses the call. */
function refuse(fault: Fault | undefined): void {
  if (fault?.kind === "unauthorized") throw new Problem("NaoAutorizado", "token inválido");
  if (fault?.kind === "status") throw new Problem(problemOf(fault.status), "serviço indisponível");
}

function busy(retryAfter: string | null): BankAnswer {
  const refusal = problemAnswer(new Problem("LimiteExcedido", "muitas requisições"));
  return { ...refusal, headers: retryAfter === null ? {} : { "retry-after": retryAfter } };
}

function json(status: number, body: object): NonNullable<BankAnswer> {
  return { status, contentType: "application/json", text: JSON.stringify(body) };
}

function problemAnswer(problem: Problem): NonNullable<BankAnswer> {
  const { status } = problem;
  return { status, contentType: "application/problem+json", text: JSON.stringify(problem.body()) };
}
