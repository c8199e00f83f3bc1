import type { Random } from "./random.ts";

/** A write as a merchant asks for it: always the same bytes under its key. */
export interface Operation {
  readonly kind: "link" | "quote" | "accept" | "simulate" | "refund";
  readonly key: string;
  readonly path: string;
  readonly body: string;
  /** Any other definite status is a finding. */
  readonly expectedStatus: 200 | 201;
}

const REMEMBERED = 50;
const REFUND_MINOR_MAX = 1000;
const AMOUNT_MINOR = { low: 1000, high: 500_000 } as const;

/** What one client asks for next, drawn from its seed and from what it has made. */
export class Operations {
  readonly #name: string;
  readonly #random: Random;
  readonly #openLinks: { id: string; method: string }[] = [];
  readonly #openQuotes: string[] = [];
  readonly #paid: string[] = [];
  readonly #isRefunding: boolean;
  #count = 0;

  /** `name` begins each key, so it is unique in a run. `isRefunding`: false for a service that has no refunds yet. */
  constructor(name: string, random: Random, isRefunding = true) {
    this.#name = name;
    this.#random = random;
    this.#isRefunding = isRefunding;
  }

  next(): Operation {
    const drawn = this.#random.fraction();
    const payment = this.#isRefunding && drawn < 0.1 ? this.#paid.shift() : undefined;
    if (payment !== undefined) return this.#refund(payment);
    const link = drawn < 0.35 ? this.#openLinks.shift() : undefined;
    if (link !== undefined) return this.#simulate(link);
    const quote = drawn >= 0.35 && drawn < 0.5 ? this.#openQuotes.shift() : undefined;
    if (quote !== undefined) return this.#accept(quote);
    return drawn < 0.8 ? this.#createLink() : this.#createQuote();
  }

  /** Receives the result of an operation, so that a later one can use what it made. */
  learn({ kind }: Operation, text: string): void {
    if (kind === "refund") return;
    // An accepted quote's link takes the quote's method alone; the others all take PIX.
    const {
      id,
      payment_method: method = "pix",
      status,
    } = JSON.parse(text) as { id: string; payment_method?: string; status?: string };
    if (kind === "simulate") {
      if (status === "succeeded") remember(this.#paid, id);
    } else if (kind === "quote") remember(this.#openQuotes, id);
    else remember(this.#openLinks, { id, method });
  }

  #createLink(): Operation {
    const body = {
      ...this.#money(),
      payment_methods: this.#random.pick([["pix"], ["pix", "card"]]),
      fee_handling: this.#random.pick(["absorb", "pass_through"]),
    };
    return this.#operation("link", "/v1/payment_links", body, 201);
  }

  #createQuote(): Operation {
    const body = { ...this.#money(), payment_method: this.#random.pick(["pix", "card"]), installments: 1 };
    return this.#operation("quote", "/v1/quotes", body, 201);
  }

  #accept(quote: string): Operation {
    return this.#operation("accept", `/v1/quotes/${quote}/accept`, { name: "Running shoes" }, 201);
  }

  #simulate({ id, method }: { readonly id: string; readonly method: string }): Operation {
    const outcome = this.#random.pick(["succeeded", "succeeded", "failed"]);
    const body = { outcome, payment_method: method };
    return this.#operation("simulate", `/v1/payment_links/${id}/simulate_payment`, body, 200);
  }

  #refund(payment: string): Operation {
    const body = { amount: this.#random.integer(1, REFUND_MINOR_MAX) };
    return this.#operation("refund", `/v1/payments/${payment}/refunds`, body, 201);
  }

  #money(): { amount: number; currency: string } {
    const { low, high } = AMOUNT_MINOR;
    return { amount: this.#random.integer(low, high), currency: this.#random.pick(["BRL", "USD"]) };
  }

  #operation(
    kind: Operation["kind"],
    path: string,
    given: object,
    expectedStatus: Operation["expectedStatus"],
  ): Operation {
    const key = `${this.#name}-${++this.#count}`;
    // A link says which key made it, so that two links of one key can be counted in the database.
    const body = JSON.stringify(kind === "link" || kind === "accept" ? { ...given, reference: key } : given);
    return { kind, key, path, body, expectedStatus };
  }
}

function remember<T>(list: T[], made: T): void {
  if (list.length < REMEMBERED) list.push(made);
}
