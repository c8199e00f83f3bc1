import { createClient, type Client } from "@connectrpc/connect";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { startAsaas, type Asaas } from "../support/asaas/asaas.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService, type TestService } from "../support/service.ts";

export const API_KEY = "$aact_prod_000M5n9c4VbTq2Zs8Xk1Wd7Yp3RgL6";
export const CALLBACK_TOKEN = "callback-token-of-the-simulated-provider";
export const PERSON = { name: "Ana Souza", document: "529.982.247-25" };

/** A service whose live mode can reach a simulated Asaas. Both clocks are stopped at noon in São Paulo. */
export interface CardService {
  readonly service: TestService;
  readonly asaas: Asaas;
  readonly providers: Client<typeof ProvidersService>;
  close(): Promise<void>;
}

export async function startCards(keys: readonly string[] = [API_KEY]): Promise<CardService> {
  return await cardsOf(await startService("direct", { allowLoopbackProviders: true }), keys);
}

/** A service that may reach providers on this machine, with a simulated Asaas. */
export async function cardsOf(
  service: TestService,
  keys: readonly string[] = [API_KEY],
): Promise<CardService> {
  const accounts = keys.map((apiKey) => ({ apiKey }));
  const asaas = await startAsaas({ accounts, mode: "production" });
  service.clock.stop();
  const seconds = Math.floor(service.clock.nowMs() / 1000);
  service.clock.advance(86_400 - ((seconds - 15 * 3600) % 86_400));
  asaas.clock.set(new Date(service.clock.nowMs()));
  asaas.callbacks.mode = "lost";
  return {
    service,
    asaas,
    providers: createClient(ProvidersService, service.core.transport),
    close: async () => {
      await service.close();
      await asaas.stop();
    },
  };
}

/** Returns the config of an account at the simulated provider. */
export function configAt({ asaas }: CardService, apiKey = API_KEY, changes: object = {}): object {
  return { apiKey, callbackToken: CALLBACK_TOKEN, baseUrl: asaas.baseUrl, ...changes };
}

/** A card payment that waits on the provider's page. */
export interface Waiting {
  readonly payer: Payer;
  readonly paymentId: string;
  readonly reference: string;
  readonly challengeUrl: string | undefined;
}

export interface CardMerchant extends Merchant {
  readonly accountId: string;
  /** The path of its callbacks. */
  readonly path: string;
  /** Opens a link of live mode, and starts a card payment in so many installments. */
  readonly start: (installments?: number, link?: object) => Promise<Waiting>;
  readonly read: (paymentId: string) => Promise<Record<string, unknown>>;
}

export async function connectCards(
  cards: CardService,
  apiKey = API_KEY,
  changes: object = {},
  given?: Merchant,
): Promise<CardMerchant> {
  const { service, providers } = cards;
  const merchant = given ?? (await createMerchant(service, {}, "live"));
  const request = { kind: ProviderKind.CARD, profile: "asaas", asaas: configAt(cards, apiKey, changes) };
  const { account, callbackUrl } = await providers.putProviderAccount(request, merchant.as);
  return {
    ...merchant,
    accountId: account?.id ?? "",
    path: new URL(callbackUrl).pathname,
    read: async (paymentId) => (await merchant.api.get(`/v1/payments/${paymentId}`)).body,
    start: async (installments = 1, link = {}) => {
      const linkId = await merchant.newLink({
        amount: 100_000,
        payment_methods: ["card"],
        max_installments: 21,
        ...link,
      });
      const payer = new Payer(service, linkId);
      await payer.open();
      const started = await startCard(payer, installments);
      return { payer, ...started };
    },
  };
}

/** Starts a card payment in an open session. */
export async function startCard(payer: Payer, installments = 1): Promise<Omit<Waiting, "payer">> {
  const request = { paymentMethod: PaymentMethod.CARD, installments, payer: PERSON };
  const { paymentId, challengeUrl } = await payer.start(request);
  return { paymentId, challengeUrl, reference: paymentId.replace("_", "") };
}

/** Moves both clocks, and lets the worker ask about the charges. */
export async function pass({ service, asaas }: CardService, seconds: number): Promise<void> {
  service.clock.advance(seconds);
  asaas.clock.advance(seconds);
  await service.core.tasks.checkCharges();
}
