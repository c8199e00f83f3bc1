import { lookup } from "node:dns";
import { newId } from "../../contract/ids.ts";
import { PagarmeClient } from "../../src/pagarme/client.ts";
import { PagarmeCards } from "../../src/pagarme/provider.ts";
import { startPagarme } from "../support/pagarme/pagarme.ts";
import { forFile } from "../support/for-file.ts";
import { testCardPort, testSettlementFacts, type PlayedCards } from "./card-port.ts";
import { cardToken, KEYS, SLOW_CARD } from "./pagarme-merchant.ts";
import { PERSON } from "./card-merchant.ts";

const pagarme = await startPagarme({ accounts: [KEYS] });
const client = await forFile(
  Promise.resolve(
    new PagarmeClient(
      {
        ...KEYS,
        id: "pac_1",
        baseUrl: pagarme.baseUrl,
        jwksUrl: pagarme.jwksUrl,
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
    ),
  ),
);
await forFile(Promise.resolve({ close: async () => await pagarme.stop() }));

async function play(): Promise<PlayedCards> {
  const tokens = [await cardToken(pagarme, SLOW_CARD), await cardToken(pagarme, SLOW_CARD)];
  const chargesOf = (reference: string) => pagarme.ordersOf(reference).flatMap(({ charges }) => charges);
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
    pays: async (reference) => {
      await Promise.resolve();
      pagarme.endWaiting(chargesOf(reference)[0]?.id ?? "", { kind: "paid" });
    },
    chargedCount: async (reference) =>
      await Promise.resolve(chargesOf(reference).filter(({ paidAt }) => paidAt !== null).length),
  };
}

testCardPort("Pagar.me", play);
testSettlementFacts("Pagar.me", play);
