import type { LookupFunction } from "node:net";
import { text } from "node:stream/consumers";
import type { Agent } from "undici";
import { undici } from "../platform/outside/lazy-undici.ts";
import { allowedLookup, readOutsideUrl, type AddressPolicy } from "../platform/outside/outside-address.ts";
import { outsideAgent } from "../platform/outside/outside-agent.ts";
import { newestBulletin, PtaxFault, type Bulletin } from "./ptax-answer.ts";

interface PtaxSourceOptions {
  /** The address of the OData service, without a trailing slash. */
  readonly url: string;
  readonly lookup: LookupFunction;
  readonly policy: AddressPolicy;
  readonly connectMs: number;
  /** Time from the request to the last byte of its answer. */
  readonly answerMs: number;
}

// A row has some 130 bytes, and ten days have ten rows at most.
const ANSWER_BYTES_MAX = 16 * 1024;
const ADDRESS = { param: "PTAX_URL", isHttpAllowed: true, refusal: "rates are not fetched there" };

/** The central bank's rates of the dollar. Connections are not kept: each request resolves the name again. */
export class PtaxSource {
  readonly #options: PtaxSourceOptions;
  readonly #agent: Agent;
  readonly #ending = new AbortController();

  constructor(options: PtaxSourceOptions) {
    this.#options = options;
    const { lookup, policy, connectMs, answerMs } = options;
    this.#agent = outsideAgent({
      lookup: allowedLookup(lookup, policy),
      connectMs,
      answerMs,
      bodyBytesMax: ANSWER_BYTES_MAX,
      connections: 1,
      isKept: false,
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
    const { url, policy, connectMs, answerMs } = this.#options;
    try {
      const days = `@dataInicial='${dayText(from)}'&@dataFinalCotacao='${dayText(to)}'`;
      const resource = "CotacaoDolarPeriodo(dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)";
      const address = checked(policy, `${url}/${resource}?${days}&$format=json`);
      const { statusCode: status, body } = await undici().request(address, {
        headers: { accept: "application/json" },
        dispatcher: this.#agent,
        signal: AbortSignal.any([AbortSignal.timeout(connectMs + answerMs), this.#ending.signal]),
      });
      const read = await text(body);
      if (status !== 200) throw new PtaxFault(`status_${status}`, `the answer has status ${status}`);
      return read;
    } catch (error) {
      throw error instanceof PtaxFault ? error : new PtaxFault(codeOf(error), "there is no answer", error);
    }
  }
}

/** A host that is an IP address is never looked up, so it is checked here. */
function checked(policy: AddressPolicy, address: string): URL {
  try {
    return readOutsideUrl(address, policy, ADDRESS);
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
