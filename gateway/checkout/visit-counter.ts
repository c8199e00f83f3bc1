import { createClient, type Client, type Transport } from "@connectrpc/connect";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isbot } from "isbot";
import { isId } from "../../contract/ids.ts";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { CORE_TIMEOUT_MS } from "../rest/core-timeout.ts";

const FLUSH_MS = 1000;
/** Links whose visits wait for the core. More are not counted: counts are no records. */
const LINKS_MAX = 10_000;
const AT_ONCE = 8;
const PAGE = "/pay/:link";
const SESSIONS = "/pay/:link/sessions";

interface Visits {
  pageCount: number;
  sessionCount: number;
}

/** Counts visits of payers' pages, in sums of a second, and sends them to the core. A visit costs no call of its own. */
export class VisitCounter {
  readonly #client: Client<typeof CheckoutService>;
  readonly #coreToken: string;
  readonly #waiting = new Map<string, Visits>();
  #timer: NodeJS.Timeout | undefined;

  constructor(transport: Transport, coreToken: string) {
    this.#client = createClient(CheckoutService, transport);
    this.#coreToken = coreToken;
  }

  /** Counts the answers of a server's pages. What waits is sent before it closes. */
  watch(app: FastifyInstance): void {
    app.addHook("onResponse", (request, reply, done) => {
      this.#count(request, reply);
      done();
    });
    app.addHook("onClose", async () => await this.flush());
  }

  /** Sends what waits. What the core does not take is lost. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    const headers = { authorization: `Bearer ${this.#coreToken}` };
    for (let start = 0; start < waiting.length; start += AT_ONCE) {
      await Promise.allSettled(
        waiting
          .slice(start, start + AT_ONCE)
          .map(([linkId, visits]) =>
            this.#client.countVisits({ linkId, ...visits }, { headers, timeoutMs: CORE_TIMEOUT_MS }),
          ),
      );
    }
  }

  #count(request: FastifyRequest, { statusCode }: FastifyReply): void {
    const { link = "" } = request.params as { readonly link?: string };
    const { url } = request.routeOptions;
    const isPage = url === PAGE && request.method === "GET" && statusCode === 200;
    const isSession = url === SESSIONS && request.method === "POST" && statusCode === 303;
    if (!(isPage || isSession) || !isId("pl", link) || isbot(request.headers["user-agent"])) return;
    const visits = this.#waiting.get(link) ?? { pageCount: 0, sessionCount: 0 };
    if (!this.#waiting.has(link) && this.#waiting.size >= LINKS_MAX) return;
    if (isPage) visits.pageCount += 1;
    else visits.sessionCount += 1;
    this.#waiting.set(link, visits);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }
}
