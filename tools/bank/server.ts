import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import type { BankOptions } from "./options.ts";

/** What the bank answers. Null: nothing, and the connection is cut. Undefined: nothing at all. */
export type BankAnswer =
  | {
      readonly status: number;
      readonly contentType: string | null;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | null
  | undefined;

export interface BankRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Serves the bank over TLS to those who show a certificate of the authority. */
export async function serve(
  { server: { cert, key }, clientAuthority, port = 0 }: BankOptions,
  answer: (request: BankRequest) => BankAnswer,
  now: () => Date,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const server = createServer(
    { cert, key, ca: clientAuthority, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      // Date is of the bank's clock.
      response.sendDate = false;
      void handle(request, response, answer, now).catch(() => request.socket.destroy());
    },
  );
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
  answer: (request: BankRequest) => BankAnswer,
  now: () => Date,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const made = answer({ method, url: new URL(url, "https://bank"), headers, text: await textOf(request) });
  if (made === undefined) return;
  if (made === null) {
    request.socket.destroy();
    return;
  }
  response.writeHead(made.status, {
    date: now().toUTCString(),
    ...(made.contentType === null ? {} : { "content-type": made.contentType }),
    ...made.headers,
  });
  response.end(made.text);
}
