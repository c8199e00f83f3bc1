import { createClient, type Client } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  CheckoutService,
  SandboxAction,
  type Checkout,
  type CheckoutSession,
  type StartPaymentRequestSchema,
} from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { TestService } from "./service.ts";

/** A payer who opens a link and pays it, by the page's own RPCs. */
export class Payer {
  readonly client: Client<typeof CheckoutService>;
  readonly #linkId: string;
  readonly #options: { headers: Record<string, string> };
  sessionId = "";

  constructor(service: Pick<TestService, "core" | "internal">, linkId: string) {
    this.client = createClient(CheckoutService, service.core.transport);
    this.#linkId = linkId;
    this.#options = { headers: { ...service.internal.headers } };
  }

  async open(): Promise<CheckoutSession> {
    const opened = await this.client.openSession({ linkId: this.#linkId }, this.#options);
    this.sessionId = opened.sessionId;
    return await this.session();
  }

  async page(): Promise<Checkout> {
    const request = this.sessionId === "" ? {} : { sessionId: this.sessionId };
    const { checkout } = await this.client.getCheckout({ linkId: this.#linkId, ...request }, this.#options);
    return checkout as Checkout;
  }

  async session(): Promise<CheckoutSession> {
    return (await this.page()).session as CheckoutSession;
  }

  async start(request: Partial<MessageInitShape<typeof StartPaymentRequestSchema>> = {}) {
    return await this.client.startPayment(
      { linkId: this.#linkId, sessionId: this.sessionId, paymentMethod: PaymentMethod.PIX, ...request },
      this.#options,
    );
  }

  async card(cardToken = "tok_approved", installments = 1, request: object = {}) {
    return await this.start({ paymentMethod: PaymentMethod.CARD, installments, cardToken, ...request });
  }

  async simulate(action: SandboxAction): Promise<void> {
    const session = { linkId: this.#linkId, sessionId: this.sessionId };
    await this.client.simulateProvider({ ...session, action }, this.#options);
  }

  /** Opens a session, starts a PIX payment and has it paid. */
  async payByPix(): Promise<string> {
    await this.open();
    const { paymentId } = await this.start();
    await this.simulate(SandboxAction.APPROVE);
    return paymentId;
  }

  async receipt(reference: string, amount: bigint, providerPaymentId = `E2E-${reference}`, paidAt?: Date) {
    const time = paidAt ? { paidAt: { seconds: BigInt(Math.floor(paidAt.getTime() / 1000)), nanos: 0 } } : {};
    return await this.client.recordReceipt({ reference, amount, providerPaymentId, ...time }, this.#options);
  }
}
