import { createClient, type Client, type Transport } from "@connectrpc/connect";
import { CheckoutService, type Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";

const TIMEOUT_MS = 30_000;

/** The core as the pages ask it. */
export interface CheckoutCore {
  readonly client: Client<typeof CheckoutService>;
  /** Call options of one request. */
  readonly as: (requestId: string) => { headers: Record<string, string>; timeoutMs: number };
  /** What a page shows. */
  readonly read: (requestId: string, linkId: string, sessionId?: string) => Promise<Checkout>;
}

export function checkoutCore(transport: Transport, coreToken: string): CheckoutCore {
  const client = createClient(CheckoutService, transport);
  const as = (requestId: string) => ({
    headers: { authorization: `Bearer ${coreToken}`, "paylink-request-id": requestId },
    timeoutMs: TIMEOUT_MS,
  });
  return {
    client,
    as,
    read: async (requestId, linkId, sessionId) => {
      const named = sessionId === undefined ? {} : { sessionId };
      const { checkout } = await client.getCheckout({ linkId, ...named }, as(requestId));
      if (!checkout) throw new Error("the core answered no checkout");
      return checkout;
    },
  };
}
