import { randomUUID } from "node:crypto";
import { createClient, type Client, type Transport } from "@connectrpc/connect";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { HEADERS } from "../../../contract/headers.ts";
import { CheckoutService, SandboxAction } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { LinksService } from "../../../gen/paylink/links/v1/links_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { RefundsService } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { SetClock } from "./demo-core.ts";
import type { Sale } from "./plan.ts";
import type { DemoProvider } from "./provider.ts";

/** A payment that was made. */
export interface Made {
  readonly sale: Sale;
  readonly paymentId: string;
  /** The charge's reference at the provider. */
  readonly reference: string;
}

interface Event {
  readonly atMs: number;
  readonly run: () => Promise<void>;
}

// They are made at one moment. More gain nothing: a core writes with eight connections.
const AT_ONCE = 8;
const HOUR_MS = 3_600_000;
// Longer than the month is ago: a running service's worker ends what is over by its own clock.
const LASTING_SECONDS = 34_560_000n;

/** Sells as payers and a merchant do: through the core's own services, by a clock that is moved. */
export class Sales {
  readonly #links: Client<typeof LinksService>;
  readonly #checkout: Client<typeof CheckoutService>;
  readonly #refunds: Client<typeof RefundsService>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #clock: SetClock;
  readonly #provider: DemoProvider;

  constructor(
    transport: Transport,
    headers: Readonly<Record<string, string>>,
    clock: SetClock,
    provider: DemoProvider,
  ) {
    this.#links = createClient(LinksService, transport);
    this.#checkout = createClient(CheckoutService, transport);
    this.#refunds = createClient(RefundsService, transport);
    this.#headers = headers;
    this.#clock = clock;
    this.#provider = provider;
  }

  /** Makes payments and what happens to them later, each at its time. */
  async make(sales: readonly Sale[]): Promise<Made[]> {
    const made: Made[] = [];
    const events = sales.flatMap((sale): Event[] => {
      let sold: ReturnType<Sales["sell"]> | undefined;
      const sell = async (): Promise<void> => {
        sold = this.sell(sale);
        made.push((await sold).payment);
      };
      const first = { atMs: sale.atMs, run: sell };
      if (!sale.later) return [first];
      return [first, { atMs: sale.later.atMs, run: async () => await (await sold)?.later() }];
    });
    const queue = events.toSorted((a, b) => a.atMs - b.atMs);
    while (queue.length > 0) {
      const [first] = queue;
      const untilMs = (first?.atMs ?? 0) + HOUR_MS;
      const size = queue.slice(0, AT_ONCE).filter(({ atMs }) => atMs < untilMs).length;
      const batch = queue.splice(0, size);
      // What is later in the batch happens up to an hour earlier than planned, and in its order.
      this.#clock.set(first?.atMs ?? 0);
      const results = await Promise.allSettled(batch.map(async ({ run }) => await run()));
      const failed = results.find((result) => result.status === "rejected");
      if (failed) throw failed.reason;
    }
    return made.toSorted((a, b) => a.sale.atMs - b.sale.atMs || a.sale.number - b.sale.number);
  }

  /** Makes one payment now. `later` is what happens to it later. */
  async sell(sale: Sale): Promise<{ payment: Made; later: () => Promise<void> }> {
    const { number, method, installments, outcome, amountMinor } = sale;
    const isCard = method === "card";
    const paymentMethod = isCard ? PaymentMethod.CARD : PaymentMethod.PIX;
    const { paymentLink } = await this.#links.createPaymentLink(
      {
        amount: amountMinor,
        currency: "BRL",
        reference: `PEDIDO-${String(number).padStart(4, "0")}`,
        paymentMethods: { values: [paymentMethod] },
        feeHandling: sale.isPassedThrough ? FeeHandling.PASS_THROUGH : FeeHandling.ABSORB,
        expiresIn: LASTING_SECONDS,
      },
      this.#keyed(),
    );
    const linkId = paymentLink?.id ?? "";
    const options = { headers: this.#headers };
    const { sessionId } = await this.#checkout.openSession({ linkId }, options);
    const acknowledgedTotal = sale.isPassedThrough
      ? await this.#totalOf({ linkId, sessionId }, paymentMethod, installments)
      : undefined;
    const cardToken = outcome === "paid" ? "tok_approved" : "tok_insufficient_funds";
    const { paymentId } = await this.#checkout.startPayment(
      { linkId, sessionId, paymentMethod, acknowledgedTotal, ...(isCard ? { installments, cardToken } : {}) },
      options,
    );
    const simulate = async (action: SandboxAction): Promise<void> => {
      await this.#checkout.simulateProvider({ linkId, sessionId, action }, options);
    };
    if (!isCard) await simulate(ACTIONS[outcome]);
    const payment = { sale, paymentId, reference: referenceOf(paymentId) };
    return { payment, later: async () => await this.#later(payment, simulate) };
  }

  /** Returns what the payer sees and agrees to. */
  async #totalOf(
    session: { readonly linkId: string; readonly sessionId: string },
    method: PaymentMethod,
    installments: number,
  ): Promise<bigint | undefined> {
    const { checkout } = await this.#checkout.getCheckout(session, { headers: this.#headers });
    const options = checkout?.session?.options ?? [];
    return options.find((one) => one.paymentMethod === method && one.installments === installments)
      ?.payerTotal;
  }

  async #later(payment: Made, simulate: (action: SandboxAction) => Promise<void>): Promise<void> {
    const { sale, paymentId, reference } = payment;
    switch (sale.later?.what) {
      case undefined:
        return;
      case "refund":
        await this.#refunds.createRefund({ id: paymentId, reason: "Desistência" }, this.#keyed());
        return;
      case "part":
        await this.#refunds.createRefund({ id: paymentId, amount: sale.amountMinor / 3n }, this.#keyed());
        return;
      case "return":
        await this.#provider.giveBack(reference, sale.amountMinor / 2n, this.#clock.nowMs());
        // The provider is asked about the payment.
        return await simulate(SandboxAction.APPROVE);
      case "again": {
        const { amount, paidAtMs, providerPaymentId } = await this.#provider.payAgain(
          reference,
          this.#clock.nowMs(),
        );
        const paidAt = timestampFromMs(paidAtMs);
        const receipt = { reference, amount, providerPaymentId, paidAt };
        await this.#checkout.recordReceipt(receipt, { headers: this.#headers });
      }
    }
  }

  #keyed() {
    return { headers: { ...this.#headers, [HEADERS.idempotencyKey]: randomUUID() } };
  }
}

const ACTIONS = {
  paid: SandboxAction.APPROVE,
  failed: SandboxAction.DECLINE,
  expired: SandboxAction.EXPIRE,
} as const;

function referenceOf(paymentId: string): string {
  return paymentId.replace("_", "");
}
