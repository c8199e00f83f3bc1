import { newId } from "../../contract/ids.ts";
import { AsaasClient } from "../../src/asaas/client.ts";
import { AsaasCards } from "../../src/asaas/provider.ts";
import { lookup } from "node:dns";
import { startAsaas } from "../support/asaas/asaas.ts";
import { forFile } from "../support/for-file.ts";
import { testCardPort, testSettlementFacts, type PlayedCards } from "./card-port.ts";
import { API_KEY, PERSON } from "./card-merchant.ts";

const asaas = await startAsaas({ accounts: [{ apiKey: API_KEY }], mode: "production" });
const client = await forFile(
  Promise.resolve(
    new AsaasClient(
      { id: "pac_1", apiKey: API_KEY, baseUrl: asaas.baseUrl },
      {
        clock: { nowMs: () => asaas.clock.now().getTime() },
        guard: { check: (address) => new URL(address), lookup },
        limits: { connectMs: 2000, answerMs: 5000 },
      },
    ),
  ),
);
await forFile(Promise.resolve({ close: async () => await asaas.stop() }));

async function play(): Promise<PlayedCards> {
  const chargesOf = (reference: string) => asaas.paymentsOf(reference).filter(({ isDeleted }) => !isDeleted);
  return await Promise.resolve({
    provider: new AsaasCards(client),
    request: (changes = {}) => ({
      reference: newId("pay").replace("_", ""),
      amountMinor: 15_990n,
      merchantName: "Shop",
      description: "Shoes",
      expiresAt: new Date(asaas.clock.now().getTime() + 900_000),
      isRepeated: false,
      installments: 1,
      token: null,
      payer: { name: PERSON.name, document: "52998224725" },
      returnUrl: "https://pay.example.com/pay/pl_1/cs_1",
      ...changes,
    }),
    waitsAs: "challenge",
    now: () => asaas.clock.now(),
    pays: async (reference) => {
      await Promise.resolve();
      asaas.pay(chargesOf(reference)[0]?.id ?? "");
    },
    chargedCount: async (reference) => {
      const paid = chargesOf(reference).filter(({ confirmedOn }) => confirmedOn !== null);
      return await Promise.resolve(new Set(paid.map(({ id, plan }) => plan?.id ?? id)).size);
    },
  });
}

testCardPort("Asaas", play);
testSettlementFacts("Asaas", play);
