import { createClient, type Client } from "@connectrpc/connect";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startPagarme, type Pagarme } from "../support/pagarme/pagarme.ts";
import type { AccountOptions } from "../support/pagarme/state.ts";
import { Payer } from "../support/payer.ts";
import { startService, type TestService } from "../support/service.ts";
import { PERSON } from "./card-merchant.ts";

export const KEYS = { secretKey: "sk_0123456789abcdef", publicKey: "pk_0123456789abcdef" };
export const OTHER_KEYS = { secretKey: "sk_fedcba9876543210", publicKey: "pk_fedcba9876543210" };

export const PAID_CARD = "4000000000000010";
/** Its issuer takes its time. */
export const SLOW_CARD = "4000000000000036";
/** What an account with antifraud needs of its payer. */
export const FULL_PERSON = {
  ...PERSON,
  email: "ana@example.com",
  phone: "+55 11 98765-4321",
  address: {
    postalCode: "01310-100",
    street: "Avenida Paulista",
    number: "1000",
    district: "Bela Vista",
    city: "São Paulo",
    state: "SP",
  },
};

/** A service whose live mode can reach a simulated Pagar.me. Both clocks stand still. */
export interface PagarmeService {
  readonly service: TestService;
  readonly pagarme: Pagarme;
  readonly providers: Client<typeof ProvidersService>;
  close(): Promise<void>;
}

export async function startPagarmeService(
  accounts: readonly AccountOptions[] = [{ ...KEYS, isAntifraudOn: true }],
): Promise<PagarmeService> {
  return await pagarmeOf(await startService("direct", { allowLoopbackProviders: true }), accounts);
}

/** A service that may reach providers on this machine, with a simulated Pagar.me. */
export async function pagarmeOf(
  service: TestService,
  accounts: readonly AccountOptions[],
): Promise<PagarmeService> {
  const pagarme = await startPagarme({ accounts });
  service.clock.stop();
  pagarme.clock.set(new Date(service.clock.nowMs()));
  return {
    service,
    pagarme,
    providers: createClient(ProvidersService, service.core.transport),
    close: async () => {
      await service.close();
      await pagarme.stop();
    },
  };
}

/** Returns a token of a card, as the payer's browser gets it. */
export async function cardToken(
  pagarme: Pagarme,
  number = PAID_CARD,
  card: object = {},
  publicKey = KEYS.publicKey,
): Promise<string> {
  const answer = await fetch(`${pagarme.baseUrl}/tokens?appId=${publicKey}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      type: "card",
      card: { number, holder_name: "ANA SOUZA", exp_month: 12, exp_year: 2039, cvv: "123", ...card },
    }),
  });
  return ((await answer.json()) as { id: string }).id;
}

export interface PagarmeMerchant extends Merchant {
  readonly accountId: string;
  /** The address of its callbacks. */
  readonly callbackUrl: string;
  readonly read: (paymentId: string) => Promise<Record<string, unknown>>;
  /** Opens a session of a new link of live mode. */
  readonly opened: (link?: object) => Promise<Payer>;
  /** Pays in a session by a new token, and returns the payment's id. */
  readonly paid: (payer: Payer, installments?: number, token?: string) => Promise<string>;
}

export async function connectPagarme(
  { service, pagarme }: Pick<PagarmeService, "service" | "pagarme">,
  config: object = {},
): Promise<PagarmeMerchant> {
  const providers = createClient(ProvidersService, service.core.transport);
  const merchant = await createMerchant(service, {}, "live");
  const { account, callbackUrl } = await providers.putProviderAccount(
    {
      kind: ProviderKind.CARD,
      profile: "pagarme",
      pagarme: { ...KEYS, baseUrl: pagarme.baseUrl, ...config },
    },
    merchant.as,
  );
  return {
    ...merchant,
    accountId: account?.id ?? "",
    callbackUrl,
    read: async (paymentId) => (await merchant.api.get(`/v1/payments/${paymentId}`)).body,
    opened: async (link = {}) => {
      const linkId = await merchant.newLink({
        amount: 100_000,
        payment_methods: ["card"],
        max_installments: 18,
        ...link,
      });
      const payer = new Payer(service, linkId);
      await payer.open();
      return payer;
    },
    paid: async (payer, installments = 1, token) => {
      const given = token ?? (await cardToken(pagarme));
      return (await payer.card(given, installments, { payer: FULL_PERSON })).paymentId;
    },
  };
}

/** Pagar.me calls back about a payment, and the worker asks about it. */
export async function callBack(
  { service, pagarme }: PagarmeService,
  { callbackUrl }: PagarmeMerchant,
  paymentId: string,
): Promise<void> {
  const code = referenceOf(paymentId);
  const data = { id: pagarme.ordersOf(code)[0]?.charges[0]?.id, order: { code } };
  const payload = JSON.stringify({ id: crypto.randomUUID(), type: "charge.updated", data });
  const { pathname: url } = new URL(callbackUrl);
  const headers = pagarme.signing.headers(payload);
  const { statusCode } = await service.gateway.inject({ method: "POST", url, headers, payload });
  if (statusCode !== 200) throw new Error(`the callback was answered with ${statusCode}`);
  await service.core.tasks.answerCallbacks();
}

/** Makes and pays a second order with the code of one, as a provider without idempotency may. */
export async function orderAgain(pagarme: Pagarme, code: string): Promise<void> {
  const [order] = pagarme.ordersOf(code);
  pagarme.isIdempotent = false;
  const { status } = await fetch(`${pagarme.baseUrl}/orders`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${KEYS.secretKey}:`).toString("base64")}` },
    body: JSON.stringify({
      code,
      items: [{ amount: Number(order?.amountMinor), description: "Curso", quantity: 1 }],
      customer: { name: "Ana", email: "a@b.c", document: "52998224725", phones: {}, address: {} },
      payments: [{ payment_method: "credit_card", credit_card: { card_token: await cardToken(pagarme) } }],
    }),
  });
  pagarme.isIdempotent = true;
  if (status !== 200) throw new Error(`a second order was answered with ${status}`);
}

export const referenceOf = (paymentId: string): string => paymentId.replace("_", "");

/** Moves both clocks, and lets the worker ask about the charges. */
export async function pass({ service, pagarme }: PagarmeService, seconds: number): Promise<void> {
  service.clock.advance(seconds);
  pagarme.clock.advance(seconds);
  await service.core.tasks.checkCharges();
}
