import { Api, type Answer } from "../support/api.ts";
import { type TestTenant, type TestService } from "../support/service.ts";

/** What one tenant has in one mode. */
export interface Belongings {
  readonly legalEntityId: string;
  readonly link: string;
  readonly quote: string;
  readonly intent: string;
  /** Live payments come from payers only: there is none here. */
  readonly payment: string | undefined;
}

export interface Scope {
  readonly api: Api;
  readonly has: Belongings;
}

/** Makes what a tenant has in the mode of its key. */
export async function belongings(
  api: Api,
  { legalEntityId }: TestTenant,
  pays: boolean,
): Promise<Belongings> {
  const amount = { amount: 15_990, currency: "BRL" };
  const link = await api.post("/v1/payment_links", { ...amount, reference: "mine" });
  const quote = await api.post("/v1/quotes", { ...amount, payment_method: "pix" });
  const intent = await api.post("/v1/payment_intents", amount);
  const paid = await api.post("/v1/payment_links", { ...amount, campaign: true });
  const payment = pays
    ? await api.post(`/v1/payment_links/${paid.body.id}/simulate_payment`, { outcome: "succeeded" })
    : undefined;
  return {
    legalEntityId,
    link: link.body.id,
    quote: quote.body.id,
    intent: intent.body.id,
    payment: payment?.body.id,
  };
}

/** A new tenant with its belongings in each mode. */
export async function newScopes(service: TestService): Promise<{ test: Scope; live: Scope }> {
  const tenant = await service.createTenant();
  const [inTest, inLive] = [new Api(service, tenant.testKey), new Api(service, tenant.liveKey)];
  return {
    test: { api: inTest, has: await belongings(inTest, tenant, true) },
    live: { api: inLive, has: await belongings(inLive, tenant, false) },
  };
}

/** All that a caller sees of an answer, but for what differs between any two requests. */
export function seen({ status, headers, text }: Answer) {
  const requestId = String(headers["x-request-id"]);
  const { "x-request-id": _, date: __, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(requestId, "REQUEST_ID") };
}
