import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { webhookProblems } from "./documented-webhook.ts";

/** A request as it came in, its body read whole. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly text: string;
  /** The webhook-id, which is the event's. */
  readonly eventId: string;
  readonly atMs: number;
}

export type Answerer = (received: Received, response: ServerResponse) => void;

/** A merchant's receiver: a real HTTP server that keeps all it was sent. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** How it answers from now on. */
  answer(answerer: Answerer): void;
  /** Waits until so many requests that fit were received. Throws Error when they are not within the limit. */
  until(count: number, fits?: (received: Received) => boolean, limitMs?: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** The event types of an endpoint that receives what happens to payments, and nothing of links. */
export const OF_PAYMENTS = { values: ["payment.*"] };

const LIMIT_MS = 20_000;
const POLL_MS = 10;

export const ok: Answerer = (_received, response) => void response.writeHead(200).end("ok");

/** Starts one on this machine that answers 200. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answerer = ok;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const item = {
        headers: request.headers,
        path: request.url ?? "",
        text: Buffer.concat(chunks).toString("utf8"),
        eventId: String(request.headers["webhook-id"]),
        atMs: Date.now(),
      };
      received.push(item);
      answerer(item, response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (next) => {
      answerer = next;
    },
    until: async (count, fits = () => true, limitMs = LIMIT_MS) => {
      const deadline = Date.now() + limitMs;
      for (;;) {
        const found = received.filter(fits);
        if (found.length >= count) return found;
        if (Date.now() > deadline) throw new Error(`received ${found.length} of ${count} in ${limitMs} ms`);
        await new Promise((resolve) => {
          setTimeout(resolve, POLL_MS);
        });
      }
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), "close");
      // A test of the sender alone may have sent something that is no event.
      const events = received.filter(({ text }) => text.startsWith('{"id":"evt_'));
      const problems = events.flatMap(webhookProblems);
      if (problems.length > 0) throw new Error(`not as documented:\n${problems.join("\n")}`);
    },
  };
}

/** Verifies with the independent library and answers what the body says. Throws when it is not what was signed. */
// oxlint-disable-next-line typescript/no-explicit-any
export function verified({ headers, text }: Received, secret: string): any {
  return new Webhook(secret).verify(text, headers as Record<string, string>);
}
