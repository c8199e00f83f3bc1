import { Agent, request, type IncomingHttpHeaders } from "node:http";

/** What came back, whole, and how long it took. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly isReplay: boolean;
  readonly tookMs: number;
}

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** HTTP to one address over connections that are kept, as a merchant's client does it. */
export class Http {
  readonly #baseUrl: () => string;
  readonly #agent = new Agent({ keepAlive: true });

  /** The address is asked for at each request: a service that starts again may listen elsewhere. */
  constructor(baseUrl: () => string) {
    this.#baseUrl = baseUrl;
  }

  /** Throws when no whole answer has come within the time. */
  async send({ method, path, headers, body }: HttpRequest, timeoutMs: number): Promise<Answer> {
    const startMs = performance.now();
    return await new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.#baseUrl()),
        { method, agent: this.#agent, headers: { ...headers }, signal: AbortSignal.timeout(timeoutMs) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString("utf8"),
              isReplay: response.headers["idempotent-replay"] === "true",
              tookMs: performance.now() - startMs,
            });
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
