import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

const WAIT_MS = 30_000;

/** The event of one payment, its signature verified. */
interface Arrived {
  readonly event: PaymentEvent;
  readonly atMs: number;
}

interface PaymentEvent {
  readonly type: string;
  readonly data: { readonly payment: { readonly id: string; readonly amount: number } };
}

/** A merchant's receiver of events, in the process of the load: its CPU time is no service's. */
export class Receiver {
  readonly #server = createServer();
  readonly #secrets = new Map<string, Webhook>();
  readonly #arrived = new Map<string, Arrived>();
  readonly #waiting = new Map<string, (arrived: Arrived) => void>();
  #fault: unknown;

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    const server = receiver.#server;
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        try {
          const text = Buffer.concat(chunks).toString("utf8");
          receiver.#receive(request.url ?? "", text, request.headers as Record<string, string>);
          response.writeHead(200).end("ok");
        } catch (error) {
          receiver.#fault ??= error;
          response.writeHead(400).end();
        }
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return receiver;
  }

  /** The address for one service's endpoint. */
  urlFor(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  /** From now on, what comes to a service's address must be signed with this secret. */
  trust(name: string, secret: string): void {
    this.#secrets.set(`/${name}`, new Webhook(secret));
  }

  /** Returns the event of a payment when it has arrived. Throws Error if it does not in 30 seconds, or if any event was wrong. */
  async eventOf(paymentId: string): Promise<Arrived> {
    if (this.#fault !== undefined) throw new Error("an event was wrong", { cause: this.#fault });
    const known = this.#arrived.get(paymentId);
    if (known) {
      this.#arrived.delete(paymentId);
      return known;
    }
    return await new Promise<Arrived>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`no event of ${paymentId}`, { cause: this.#fault }));
      }, WAIT_MS);
      this.#waiting.set(paymentId, (arrived) => {
        clearTimeout(timer);
        resolve(arrived);
      });
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), "close");
  }

  #receive(path: string, text: string, headers: Record<string, string>): void {
    const event = this.#secrets.get(path)?.verify(text, headers) as PaymentEvent | undefined;
    if (!event) throw new Error(`an event to ${path}`);
    const arrived = { event, atMs: performance.now() };
    const { id } = event.data.payment;
    const waiting = this.#waiting.get(id);
    if (!waiting) return void this.#arrived.set(id, arrived);
    this.#waiting.delete(id);
    waiting(arrived);
  }
}
