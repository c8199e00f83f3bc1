import { CheckoutService } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import {
  LinksService,
  SimulatedOutcome,
  type SimulatedAftermath,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { RefundsService } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { WebhookEndpointStatus, WebhooksService } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { tenantClient, withNewKey } from "../../core/client.ts";
import type { TenantChoice } from "../../output/options.ts";
import type { Triggered } from "./types.ts";

const PAYMENT_METHODS = { pix: PaymentMethod.PIX, card: PaymentMethod.CARD } as const;

/** A tenant of test mode that sells, by the RPCs that merchants' and payers' calls come to. */
export class Shop {
  readonly #choice: TenantChoice;
  readonly #triggered: Triggered;

  constructor(choice: TenantChoice, triggered: Triggered) {
    this.#choice = choice;
    this.#triggered = triggered;
  }

  /** Makes a link, which expires after so many seconds, if any. Returns its id. */
  async link(method = this.#triggered.method, expiresIn?: bigint): Promise<string> {
    const { client, options } = await tenantClient(LinksService, this.#choice);
    const { type, amount } = this.#triggered;
    const request = {
      amount,
      currency: "BRL",
      paymentMethods: { values: [PAYMENT_METHODS[method]] },
      description: `paylink trigger ${type}`,
      ...(expiresIn === undefined ? {} : { expiresIn }),
    };
    return (await client.createPaymentLink(request, withNewKey(options))).paymentLink?.id ?? "";
  }

  /** Makes a link and cancels it. Returns its id. */
  async canceledLink(): Promise<string> {
    const { client, options } = await tenantClient(LinksService, this.#choice);
    const id = await this.link();
    await client.cancelPaymentLink({ id }, withNewKey(options));
    return id;
  }

  /** Makes a link, and starts a payment by Pix on its payer's page. Returns their ids. */
  async startedPayment(): Promise<{ link: string; payment: string }> {
    const { client, options } = await tenantClient(CheckoutService, this.#choice);
    const linkId = await this.link("pix");
    const { sessionId } = await client.openSession({ linkId }, options);
    const request = { linkId, sessionId, paymentMethod: PaymentMethod.PIX };
    const { paymentId } = await client.startPayment(request, options);
    return { link: linkId, payment: paymentId };
  }

  /** Makes a link and a simulated payment of it. Returns their ids. */
  async payment(
    outcome: SimulatedOutcome,
    afterwards?: SimulatedAftermath,
    method = this.#triggered.method,
  ): Promise<{ link: string; payment: string }> {
    const { client, options } = await tenantClient(LinksService, this.#choice);
    const link = await this.link(method);
    const asked = { id: link, outcome, paymentMethod: PAYMENT_METHODS[method] };
    const request = afterwards === undefined ? asked : { ...asked, afterwards };
    const { payment } = await client.simulatePayment(request, withNewKey(options));
    return { link, payment: payment?.id ?? "" };
  }

  /** Refunds a new payment: all of it, or so many centavos. Returns the ids of both. */
  async refund(amount?: bigint): Promise<{ link: string; payment: string; refund: string }> {
    const { client, options } = await tenantClient(RefundsService, this.#choice);
    const paid = await this.payment(SimulatedOutcome.SUCCEEDED);
    const request = amount === undefined ? { id: paid.payment } : { id: paid.payment, amount };
    const { refund } = await client.createRefund(request, withNewKey(options));
    return { ...paid, refund: refund?.id ?? "" };
  }

  /** Sends a test event to the newest enabled endpoint. Returns the ids of both. Throws Error if there is none. */
  async testEvent(): Promise<{ event: string; endpoint: string }> {
    const { client, options } = await tenantClient(WebhooksService, this.#choice);
    const { endpoints } = await client.listWebhookEndpoints({}, options);
    const endpoint = endpoints.find(({ status }) => status === WebhookEndpointStatus.ENABLED)?.id;
    if (endpoint === undefined) {
      throw new Error("A test event needs an enabled endpoint: paylink webhooks create makes one.");
    }
    const { delivery } = await client.sendTestEvent({ endpointId: endpoint }, options);
    return { event: delivery?.eventId ?? "", endpoint };
  }
}
