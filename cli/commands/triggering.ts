import { LinksService, SimulatedOutcome, type PaymentLink } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { WebhooksService, type Event } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { tenantClient, withNewKey } from "../core/client.ts";
import type { TenantChoice } from "../output/options.ts";
import type { Row } from "../output/output.ts";

/** What is made to happen. */
export interface Triggered {
  readonly type: "payment.succeeded" | "payment.failed" | "link.expired";
  /** Centavos of BRL. */
  readonly amount: bigint;
  readonly method: "pix" | "card";
}

const OUTCOMES = {
  "payment.succeeded": SimulatedOutcome.SUCCEEDED,
  "payment.failed": SimulatedOutcome.FAILED,
} as const;
const PAYMENT_METHODS = { pix: PaymentMethod.PIX, card: PaymentMethod.CARD } as const;

const EXPIRES_IN = 1n;
const POLL_MS = 500;
// A worker looks every five seconds.
const EXPIRY_MS_MAX = 60_000;

/**
 * Makes a link, and has it paid, declined or expire, by the RPCs that merchants' calls come to. Returns what the event is
 * about. Throws ConnectError, or Error when no worker expires the link.
 */
export async function trigger(choice: TenantChoice, { type, amount, method }: Triggered): Promise<Row> {
  const { client, options } = await tenantClient(LinksService, choice);
  const paymentMethod = PAYMENT_METHODS[method];
  const request = {
    amount,
    currency: "BRL",
    paymentMethods: { values: [paymentMethod] },
    description: `paylink trigger ${type}`,
    ...(type === "link.expired" ? { expiresIn: EXPIRES_IN } : {}),
  };
  const { paymentLink } = await client.createPaymentLink(request, withNewKey(options));
  const { id } = paymentLink as PaymentLink;
  if (type === "link.expired") {
    return { event: (await eventOf(choice, type, id, EXPIRY_MS_MAX)).id, type, link: id };
  }
  const outcome = OUTCOMES[type];
  const { payment } = await client.simulatePayment({ id, outcome, paymentMethod }, withNewKey(options));
  const paymentId = payment?.id ?? "";
  return { event: (await eventOf(choice, type, paymentId, 0)).id, type, link: id, payment: paymentId };
}

/** Returns the event of a link or a payment, after at most so many milliseconds. Throws Error if it has not come by then. */
async function eventOf(choice: TenantChoice, type: string, objectId: string, msMax: number): Promise<Event> {
  const { client, options } = await tenantClient(WebhooksService, choice);
  const deadline = Date.now() + msMax;
  for (;;) {
    const { events } = await client.listEvents({ type, objectId, limit: 1 }, options);
    if (events[0]) return events[0];
    if (Date.now() >= deadline) {
      throw new Error(
        `${objectId} has no event ${type} yet: does a worker run? paylink events list shows it then.`,
      );
    }
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}
