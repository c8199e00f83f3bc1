import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Money of the bank, as its API has it: amounts in centavos, times in milliseconds. */
interface Payment {
  readonly id: string;
  readonly reference: string;
  readonly amount: number;
  readonly paidAt: number;
  readonly refunds: { readonly id: string; readonly amount: number; readonly at: number }[];
}

interface Charge {
  readonly amount: number;
  isOpen: boolean;
}

export const API_KEY = "example_key_0123456789";

/** A small bank with an API of its own, for the provider of the tests. */
export class ExampleBank {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #charges = new Map<string, Charge>();
  #lost = "";
  readonly payments: Payment[] = [];
  callback: { readonly url: string; readonly token: string } | undefined;

  static async start(): Promise<ExampleBank> {
    const bank = new ExampleBank();
    bank.#server.listen(0, "127.0.0.1");
    await once(bank.#server, "listening");
    return bank;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next request for a charge or a refund is carried out, and its answer never comes. */
  losesAnswer(to: "charges" | "payments"): void {
    this.#lost = `PUT /${to}`;
  }

  isOpen(reference: string): boolean {
    return this.#charges.get(reference)?.isOpen ?? false;
  }

  get references(): string[] {
    return [...this.#charges.keys()];
  }

  /** A payer pays a charge. */
  pay(reference: string): Payment {
    const amount = this.#charges.get(reference)?.amount ?? 0;
    const id = `money-${this.payments.length + 1}`;
    const payment = { id, reference, amount, paidAt: Date.now(), refunds: [] };
    this.payments.push(payment);
    return payment;
  }

  /** Calls back about a charge, with the secret in a header. Returns the status of the answer. */
  async callBack(reference: string, token = this.callback?.token ?? ""): Promise<number> {
    const { status } = await fetch(this.callback?.url ?? "", {
      method: "POST",
      headers: { "x-example-token": token },
      body: this.callbackOf(reference),
    });
    return status;
  }

  /** The body of a callback about a charge's money. */
  callbackOf(reference: string): string {
    return JSON.stringify({
      reference,
      payment: this.payments.find((one) => one.reference === reference)?.id,
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", this.baseUrl);
    const body = JSON.parse((await text(request)) || "{}") as Record<string, unknown>;
    const isKnown = request.headers["api-key"] === API_KEY;
    const call = `${request.method} ${pathname}`;
    const found = isKnown ? this.#result(call, body, searchParams) : undefined;
    if (this.#lost !== "" && call.startsWith(this.#lost)) {
      this.#lost = "";
      request.socket.destroy();
      return;
    }
    response.writeHead(isKnown ? (found ? 200 : 404) : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? {}));
  }

  #result(call: string, body: Record<string, unknown>, query: URLSearchParams): object | undefined {
    const [, verb = "", room = "", id = "", part = ""] =
      /^(\w+) \/(\w+)\/?([^/]*)\/?([^/]*)$/.exec(call) ?? [];
    switch (`${verb} ${room}`) {
      case "PUT charges":
        if (!this.#charges.has(id)) this.#charges.set(id, { amount: Number(body["amount"]), isOpen: true });
        return { location: `example.test/pix/${id}`, amount: this.#charges.get(id)?.amount };
      case "GET charges": {
        const charge = this.#charges.get(id);
        return charge && { ...charge, payments: this.payments.filter(({ reference }) => reference === id) };
      }
      case "DELETE charges": {
        const charge = this.#charges.get(id);
        if (charge) charge.isOpen = false;
        return {};
      }
      case "PUT payments": {
        const refunds = this.payments.find((payment) => payment.id === id)?.refunds;
        if (refunds?.every((refund) => refund.id !== part)) {
          refunds.push({ id: part, amount: Number(body["amount"]), at: Date.now() });
        }
        return refunds && { refunds };
      }
      case "GET payments": {
        const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
        return { payments: this.payments.filter(({ paidAt }) => from <= paidAt && paidAt <= to) };
      }
      case "PUT callback":
        this.callback = { url: String(body["url"]), token: String(body["token"]) };
        return {};
      default:
        return room === "callback" ? { url: this.callback?.url ?? "" } : undefined;
    }
  }
}
