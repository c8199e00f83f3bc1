import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";

/** What a provider answers. Null: nothing, and the connection is cut. Undefined: nothing at all. */
export type ProviderAnswer = MadeAnswer | null | undefined;

export interface MadeAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the answer waits for. */
  readonly after?: Promise<unknown>;
}

export interface ProviderRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

export interface Served {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves a provider over http on the loopback. */
export async function serve(
  answer: (request: ProviderRequest) => ProviderAnswer,
  now: () => Date,
  port = 0,
): Promise<Served> {
  const server = createServer((request, response) => {
    // Date is of the provider's clock.
    response.sendDate = false;
    void handle(request, response, answer, now).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: ProviderRequest) => ProviderAnswer,
  now: () => Date,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const made = answer({ method, url: new URL(url, "http://provider"), headers, text: await textOf(request) });
  if (made === undefined) return;
  if (made === null) {
    request.socket.destroy();
    return;
  }
  await made.after;
  response.writeHead(made.status, {
    date: now().toUTCString(),
    ...(made.contentType === null ? {} : { "content-type": made.contentType }),
    ...made.headers,
  });
  response.end(made.text);
}
