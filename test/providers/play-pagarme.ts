import { lookup } from "node:dns";
import { newId } from "../../contract/ids.ts";
import { PagarmeAccountStatement } from "../../src/providers/pagarme/account-statement.ts";
import { PagarmeClient } from "../../src/providers/pagarme/client.ts";
import { PagarmeCards } from "../../src/providers/pagarme/provider.ts";
import { startPagarme, type Pagarme } from "../support/pagarme/pagarme.ts";
import { forFile } from "../support/for-file.ts";
import { dayOf } from "../support/provider/dates.ts";
import type { PlayedStatement } from "./account-statement-port.ts";
import type { AdapterPlays } from "./adapter.ts";
import type { RemoteCards } from "./card-port.ts";
import { cardToken, KEYS, SLOW_CARD } from "../live-cards/pagarme-merchant.ts";
import { PERSON } from "../live-cards/card-merchant.ts";

/** Starts a simulated Pagar.me, and returns cards played against it. */
export async function playPagarme(): Promise<AdapterPlays> {
  const { pagarme, client } = await startedPagarme();
  return { isRemote: true, cards: async () => await cardsOf(pagarme, client), statement: playStatement };
}

async function playStatement(): Promise<PlayedStatement> {
  const { pagarme, client } = await startedPagarme();
  let chargeId = "";
  return {
    statement: new PagarmeAccountStatement(client, () => undefined),
    today: () => dayOf(pagarme.clock.now()),
    nextDay: () => pagarme.clock.advance(86_400),
    receives: async () => {
      const { request, provider, pays } = await cardsOf(pagarme, client);
      const asked = request();
      await provider.authorize(asked);
      await pays(asked.reference);
      chargeId = pagarme.ordersOf(asked.reference)[0]?.charges[0]?.id ?? "";
      // It would be paid in 30 days.
      pagarme.anticipate(chargeId, 1, 95n);
      return chargeId;
    },
    givesBack: async () => {
      const terms = { amountMinor: 5_000n, reason: null, requestedAt: pagarme.clock.now() };
      await new PagarmeCards(client).refund({
        ...terms,
        refundId: newId("ref"),
        providerPaymentId: chargeId,
      });
      return 5_000n;
    },
  };
}

/** Starts a simulated Pagar.me with an account at it. */
export async function startedPagarme(): Promise<{
  readonly pagarme: Pagarme;
  readonly client: PagarmeClient;
}> {
  const pagarme = await startPagarme({ accounts: [KEYS] });
  await forFile(Promise.resolve({ close: async () => await pagarme.stop() }));
  const client = new PagarmeClient(
    {
      ...KEYS,
      id: "pac_1",
      baseUrl: pagarme.baseUrl,
      jwksUrl: pagarme.jwksUrl,
      disputesUrl: `${pagarme.origin}/v1/disputes`,
      callbackKey: null,
      installmentsMax: 18,
      leastInstallmentMinor: 1n,
      payerFields: ["name", "email", "document"],
    },
    {
      clock: { nowMs: () => pagarme.clock.now().getTime() },
      guard: { check: (address) => new URL(address), lookup },
      limits: { connectMs: 2000, answerMs: 5000 },
    },
  );
  return { pagarme, client: await forFile(Promise.resolve(client)) };
}

async function cardsOf(pagarme: Pagarme, client: PagarmeClient): Promise<RemoteCards> {
  // What waits for its acquirer cannot be withdrawn there; what is reviewed can.
  pagarme.decide({ kind: "review" });
  const tokens = [await cardToken(pagarme, SLOW_CARD), await cardToken(pagarme, SLOW_CARD)];
  const chargesOf = (reference: string) => pagarme.ordersOf(reference).flatMap(({ charges }) => charges);
  const firstOf = (reference: string): string => chargesOf(reference)[0]?.id ?? "";
  const pays = (reference: string): void => pagarme.endWaiting(firstOf(reference), { kind: "paid" });
  return {
    provider: new PagarmeCards(client),
    request: (changes = {}) => ({
      reference: newId("pay").replace("_", ""),
      amountMinor: 15_990n,
      merchantName: "Shop",
      description: "Shoes",
      expiresAt: new Date(pagarme.clock.now().getTime() + 900_000),
      isRepeated: false,
      installments: 1,
      token: tokens.pop() ?? "",
      payer: { name: PERSON.name, email: "ana@example.com", document: "52998224725" },
      returnUrl: "https://pay.example.com/pay/pl_1/cs_1",
      ...changes,
    }),
    waitsAs: "processing",
    now: () => pagarme.clock.now(),
    pays: async (reference) => await Promise.resolve(pays(reference)),
    declines: async (reference) => {
      pagarme.endWaiting(firstOf(reference), { kind: "declined", code: "51" });
      await Promise.resolve();
    },
    declinedAs: "declined",
    losesAnswer: () => pagarme.fail("createOrder", { kind: "lost" }),
    paysDuringWithdrawal: (reference, kind) =>
      pagarme.fail("cancelCharge", { kind, act: () => pays(reference) }),
    openCount: (reference) =>
      chargesOf(reference).filter(({ status }) => status === "pending" || status === "processing").length,
    chargedCount: async (reference) =>
      await Promise.resolve(chargesOf(reference).filter(({ paidAt }) => paidAt !== null).length),
  };
}
