import type { LookupFunction } from "node:net";
import type { Agent } from "undici";
import { ANSWER_TOO_LARGE, boundedAgent, boundedRequest } from "../platform/bounded-request.ts";
import type { AnswerBounds } from "../platform/bounded-text.ts";
import { outsideConnector } from "../platform/outside-connector.ts";
import { newestBulletin, PtaxFault, type Bulletin } from "./ptax-answer.ts";

/** The rules for the addresses that are asked. */
interface PtaxGuard {
  /** Throws if the address is not allowed. */
  check(address: string): URL;
  /** Resolves names, and refuses those that lead to refused addresses. */
  readonly lookup: LookupFunction;
}

interface PtaxSourceOptions {
  /** The address of the OData service, without a trailing slash. */
  readonly url: string;
  readonly guard: PtaxGuard;
  readonly connectMs: number;
  /** Time from the request to the last byte of its answer. */
  readonly answerMs: number;
}

// A row has some 130 bytes and four elements, and ten days have ten rows at most.
const BOUNDS: AnswerBounds = { bytes: 16 * 1024, elements: 400 };

/** The central bank's rates of the dollar. Connections are not kept: each request resolves the name again. */
export class PtaxSource {
  readonly #options: PtaxSourceOptions;
  readonly #agent: Agent;
  readonly #ending = new AbortController();

  constructor(options: PtaxSourceOptions) {
    this.#options = options;
    const { guard, connectMs, answerMs } = options;
    this.#agent = boundedAgent({
      connect: outsideConnector({ owner: "PTAX", lookup: guard.lookup, connectMs }),
      connections: 1,
      pipelining: 0,
      answerMs,
    });
  }

  /** Returns the newest bulletin of these days, or undefined if there is none. Throws PtaxFault. */
  async newest(from: Temporal.PlainDate, to: Temporal.PlainDate): Promise<Bulletin | undefined> {
    return newestBulletin(await this.#ask(from, to));
  }

  /** Ends the current request. */
  end(): void {
    this.#ending.abort();
  }

  async #ask(from: Temporal.PlainDate, to: Temporal.PlainDate): Promise<string> {
    const { url, guard, connectMs, answerMs } = this.#options;
    try {
      const days = `@dataInicial='${dayText(from)}'&@dataFinalCotacao='${dayText(to)}'`;
      const resource = "CotacaoDolarPeriodo(dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)";
      const { status, text } = await boundedRequest(
        checked(guard, `${url}/${resource}?${days}&$format=json`),
        {
          headers: { accept: "application/json" },
          dispatcher: this.#agent,
          signal: AbortSignal.any([AbortSignal.timeout(connectMs + answerMs), this.#ending.signal]),
          bounds: BOUNDS,
        },
      );
      if (status !== 200) throw new PtaxFault(`status_${status}`, `the answer has status ${status}`);
      if (text === undefined) throw new PtaxFault(ANSWER_TOO_LARGE, "the answer is too large");
      return text;
    } catch (error) {
      throw error instanceof PtaxFault ? error : new PtaxFault(codeOf(error), "there is no answer", error);
    }
  }
}

/** A host that is an IP address is never looked up, so it is checked here. */
function checked(guard: PtaxGuard, address: string): URL {
  try {
    return guard.check(address);
  } catch (error) {
    throw new PtaxFault("address_refused", "the address is not allowed", error);
  }
}

/** Returns a day as the service takes it: MM-DD-YYYY. */
function dayText(day: Temporal.PlainDate): string {
  const [year, month, dayOfMonth] = day.toString().split("-");
  return `${month}-${dayOfMonth}-${year}`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  if ("code" in error && typeof error.code === "string") return error.code.toLowerCase();
  return error.cause instanceof Error ? codeOf(error.cause) : error.name.toLowerCase();
}
