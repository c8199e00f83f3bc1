import { once } from "node:events";
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of one request: nothing bad if there is no fault. */
export type Fault =
  /** The service does it, and the connection ends before the answer. */
  | "lost answer"
  /** The service does it, and the connection ends within the answer. */
  | "cut answer"
  /** The connection ends before the service has it. */
  | "lost request"
  /** The service has it twice, and the second answer is passed on. */
  | "sent twice"
  /** No answer ever comes, and the service does not have it. */
  | "silence"
  /** An answer of the proxy's own, the service does not have it. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly text?: string };

/** A request as it came to the proxy, and what the service answered, if it had it. */
export interface Passed {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly atMs: number;
  readonly answers: { readonly status: number; readonly text: string; readonly isReplay: boolean }[];
}

/** A real HTTP server between a client and the service, with a fault for each request that is to have one. */
export class FaultyProxy {
  readonly passed: Passed[] = [];
  readonly #faults: (Fault | undefined)[] = [];
  readonly #target: string;
  readonly #server = createServer((incoming, outgoing) => {
    this.#pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  baseUrl = "";

  private constructor(target: string) {
    this.#target = target;
  }

  static async before(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    proxy.baseUrl = `http://127.0.0.1:${(proxy.#server.address() as AddressInfo).port}`;
    return proxy;
  }

  /** Forgets what passed, and plans the faults of the next requests, in their order. */
  plan(...faults: (Fault | undefined)[]): void {
    this.passed.length = 0;
    this.#faults.splice(0, Infinity, ...faults);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.resolve();
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const fault = this.#faults.shift();
    const { method = "", url = "", headers } = incoming;
    const text = Buffer.concat(await incoming.toArray()).toString();
    const passed: Passed = { method, url, headers, text, atMs: Date.now(), answers: [] };
    this.passed.push(passed);
    if (fault === "silence") return;
    if (fault === "lost request") {
      outgoing.destroy();
      return;
    }
    if (typeof fault === "object") {
      outgoing.writeHead(fault.status, fault.headers).end(fault.text ?? "");
      return;
    }
    if (fault === "sent twice") await this.#forward(passed);
    const answer = await this.#forward(passed);
    if (fault === "lost answer") {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(answer.status, answer.headers);
    if (fault === "cut answer") outgoing.write(answer.text.slice(0, 10), () => outgoing.destroy());
    else outgoing.end(answer.text);
  }

  async #forward({ method, url, headers, text, answers }: Passed) {
    // Answers are kept as text, so they come without gzip.
    const plain = { ...headers, "accept-encoding": "identity" };
    const forwarded = request(new URL(this.#target + url), { method, headers: plain });
    forwarded.end(text);
    const [response] = (await once(forwarded, "response")) as [IncomingMessage];
    const answer = Buffer.concat(await response.toArray()).toString();
    const { statusCode: status = 0, headers: answered } = response;
    answers.push({ status, text: answer, isReplay: answered["idempotent-replay"] === "true" });
    return { status, headers: answered, text: answer };
  }
}
