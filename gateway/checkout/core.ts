import { createClient, type CallOptions, type Client, type Transport } from "@connectrpc/connect";
import type { FastifyRequest } from "fastify";
import { CheckoutService, type Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { CORE_TIMEOUT_MS } from "../core-timeout.ts";
import { noteOwner } from "../request-observer.ts";

/** The core as the pages ask it. */
export interface CheckoutCore {
  readonly client: Client<typeof CheckoutService>;
  /** Call options of one request. What the core tells of the link's owner is noted. */
  readonly as: (request: FastifyRequest) => CallOptions;
  /** What a page shows. */
  readonly read: (request: FastifyRequest, linkId: string, sessionId?: string) => Promise<Checkout>;
}

export function checkoutCore(transport: Transport, coreToken: string): CheckoutCore {
  const client = createClient(CheckoutService, transport);
  const as = (request: FastifyRequest): CallOptions => ({
    headers: { authorization: `Bearer ${coreToken}`, "paylink-request-id": request.id },
    timeoutMs: CORE_TIMEOUT_MS,
    onHeader: (header) => noteOwner(request, header),
  });
  return {
    client,
    as,
    read: async (request, linkId, sessionId) => {
      const named = sessionId === undefined ? {} : { sessionId };
      const { checkout } = await client.getCheckout({ linkId, ...named }, as(request));
      if (!checkout) throw new Error("the core answered no checkout");
      return checkout;
    },
  };
}
