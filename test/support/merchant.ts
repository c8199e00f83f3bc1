import { createClient, type Client } from "@connectrpc/connect";
import type { FastifyInstance } from "fastify";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { Api, type Answer } from "./api.ts";
import type { TestService, TestTenant } from "./service.ts";

/** A tenant in test mode with all that acts for it: its REST key and its internal clients. */
export interface Merchant {
  readonly tenant: TestTenant;
  readonly api: Api;
  readonly webhooks: Client<typeof WebhooksService>;
  readonly ledger: Client<typeof LedgerService>;
  readonly links: Client<typeof LinksService>;
  /** Call options of an internal caller for this tenant. */
  readonly as: { headers: Record<string, string> };
  readonly newLink: (body?: object) => Promise<string>;
  readonly simulate: (linkId: string, body?: object) => Promise<Answer>;
  /** A new single link and its simulated payment. */
  readonly pay: (link?: object, simulated?: object) => Promise<Answer>;
}

export async function createMerchant(
  service: TestService,
  options: Parameters<TestService["createTenant"]>[0] = {},
  mode: "test" | "live" = "test",
): Promise<Merchant> {
  return merchantOf(await service.createTenant(options), service, service, mode);
}

/** A tenant as it acts through one gateway, and internally through the service's core. */
export function merchantOf(
  tenant: TestTenant,
  service: TestService,
  through: { readonly gateway: FastifyInstance },
  mode: "test" | "live" = "test",
): Merchant {
  const api = new Api(through, mode === "test" ? tenant.testKey : tenant.liveKey);
  const { transport } = service.core;
  const newLink: Merchant["newLink"] = async (body = {}) => {
    const given = { amount: 15_990, currency: "BRL", payment_methods: ["pix", "card"], ...body };
    const { status, body: link } = await api.post("/v1/payment_links", given);
    if (status !== 201) throw new Error(`no link: ${JSON.stringify(link)}`);
    return link.id;
  };
  const simulate: Merchant["simulate"] = async (linkId, body = {}) =>
    await api.post(
      `/v1/payment_links/${linkId}/simulate_payment`,
      { outcome: "succeeded", ...body },
      { idempotencyKey: null },
    );
  return {
    tenant,
    api,
    webhooks: createClient(WebhooksService, transport),
    ledger: createClient(LedgerService, transport),
    links: createClient(LinksService, transport),
    as: { headers: { ...service.internal.headers, "paylink-tenant": tenant.id, "paylink-mode": mode } },
    newLink,
    simulate,
    pay: async (link, simulated) => await simulate(await newLink(link), simulated),
  };
}
