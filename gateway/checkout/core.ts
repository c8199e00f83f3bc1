import { createClient, type CallOptions, type Client, type Transport } from "@connectrpc/connect";
import type { FastifyRequest } from "fastify";
import { HEADERS } from "../../contract/headers.ts";
import { CheckoutService, type Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { CORE_TIMEOUT_MS } from "../rest/core-timeout.ts";
import { noteOwner } from "../http/request-observer.ts";

/** The core's checkout service, as the pages use it. */
export interface CheckoutCore {
  readonly client: Client<typeof CheckoutService>;
  /** Returns the call options of a request. They note the link's tenant and mode from the response headers. */
  readonly as: (request: FastifyRequest) => CallOptions;
  /** Returns the checkout that a page shows. */
  readonly read: (request: FastifyRequest, linkId: string, sessionId?: string) => Promise<Checkout>;
}

export function checkoutCore(transport: Transport, coreToken: string): CheckoutCore {
  const client = createClient(CheckoutService, transport);
  const as = (request: FastifyRequest): CallOptions => ({
    headers: { authorization: `Bearer ${coreToken}`, [HEADERS.requestId]: request.id },
    timeoutMs: CORE_TIMEOUT_MS,
    onHeader: (header) => noteOwner(request, header),
  });
  return {
    client,
    as,
    read: async (request, linkId, sessionId) => {
      const { checkout } = await client.getCheckout({ linkId, sessionId }, as(request));
      if (!checkout) throw new Error("the core answered no checkout");
      return checkout;
    },
  };
}
