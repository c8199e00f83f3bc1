import type { DeliveryStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver, type Answerer, type Receiver } from "../support/receiver.ts";
import type { TestService } from "../support/service.ts";

/** Ten attempts as the contract has them, in tenths of a second instead of hours. */
export const TEN_ATTEMPTS = [0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1];

interface Subscribed {
  readonly merchant: Merchant;
  readonly receiver: Receiver;
  readonly endpointId: string;
  readonly secret: string;
  readonly delivery: () => Promise<{ status: DeliveryStatus; attemptCount: number; id: string } | undefined>;
}

/** A merchant with an endpoint of its own. `delivery` reads the newest delivery to it. */
export async function subscribed(service: TestService, eventTypes = OF_PAYMENTS): Promise<Subscribed> {
  const merchant = await createMerchant(service);
  const receiver = await startReceiver();
  const made = await merchant.webhooks.createWebhookEndpoint({ url: receiver.url, eventTypes }, merchant.as);
  const endpointId = made.endpoint?.id ?? "";
  const delivery = async () =>
    (await merchant.webhooks.listDeliveries({ endpointId }, merchant.as)).deliveries[0];
  return { merchant, receiver, endpointId, secret: made.secret, delivery };
}

/** Answers with this status. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ""): Answerer =>
  (_received, response) =>
    void response.writeHead(code, headers).end(body);
