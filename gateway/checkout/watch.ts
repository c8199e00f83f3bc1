import type { FastifyReply } from "fastify";
import { PaymentStatusSchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatusSchema } from "../../gen/paylink/links/v1/links_pb.ts";
import type { Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { enumWords } from "../transcode/enum-words.ts";

const POLL_MS = 1000;
const STREAM_MS = 120_000;
// Each costs a socket and a question a second; whoever comes later polls by itself.
const STREAMS_MAX = 500;

/** Everything of a page that changes by itself, as one word: when it changes, the page is read again. */
export function pageState({ status, session }: Checkout): string {
  const { payment, isOpen } = session ?? {};
  return [
    enumWords(PaymentLinkStatusSchema).wordOf.get(status),
    isOpen ? "open" : "over",
    payment ? enumWords(PaymentStatusSchema).wordOf.get(payment.status) : "none",
    payment?.challengeUrl === undefined ? "" : "challenge",
    payment?.hasException === true ? "exception" : "",
  ]
    .filter((part) => part !== "")
    .join("-");
}

/** Streams of server-sent events, each telling a page's state when it changes. */
export class Watches {
  #open = 0;
  readonly #ends = new Set<() => void>();

  get isFull(): boolean {
    return this.#open >= STREAMS_MAX;
  }

  /** Writes the state and each change of it, until the payer leaves, the time is over or the server stops. */
  async stream(reply: FastifyReply, read: () => Promise<string>): Promise<void> {
    const { raw } = reply;
    reply.hijack();
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    this.#open++;
    const isEnded = this.#ending(reply);
    const endsAtMs = performance.now() + STREAM_MS;
    let last = "";
    try {
      while (!isEnded() && performance.now() < endsAtMs) {
        const state = await read();
        raw.write(state === last ? ": still\n\n" : `data: ${state}\n\n`);
        last = state;
        await new Promise((resolve) => {
          setTimeout(resolve, POLL_MS);
        });
      }
    } catch {
      // The page polls from here on.
    } finally {
      this.#open--;
      raw.end();
    }
  }

  /** Ends every stream, for a server that stops. */
  close(): void {
    for (const end of this.#ends) end();
  }

  #ending({ raw }: FastifyReply): () => boolean {
    let isEnded = false;
    const end = (): void => {
      isEnded = true;
      raw.end();
      this.#ends.delete(end);
    };
    this.#ends.add(end);
    raw.on("close", end);
    return () => isEnded;
  }
}
