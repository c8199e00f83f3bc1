import { lookup } from "node:dns";
import { newId } from "../../contract/ids.ts";
import type { AsaasPage } from "../../src/asaas/account.ts";
import { AsaasClient } from "../../src/asaas/client.ts";
import { AsaasCards } from "../../src/asaas/provider.ts";
import { startAsaas } from "../support/asaas/asaas.ts";
import { forFile } from "../support/for-file.ts";
import { testCardPort, testSettlementFacts, type PlayedCards } from "./card-port.ts";
import { API_KEY, PERSON } from "./card-merchant.ts";

const asaas = await startAsaas({ accounts: [{ apiKey: API_KEY }], mode: "production" });
await forFile(Promise.resolve({ close: async () => await asaas.stop() }));

const clientOf = async (page: AsaasPage): Promise<AsaasClient> =>
  await forFile(
    Promise.resolve(
      new AsaasClient(
        { id: "pac_1", apiKey: API_KEY, page, baseUrl: asaas.baseUrl },
        {
          clock: { nowMs: () => asaas.clock.now().getTime() },
          guard: { check: (address) => new URL(address), lookup },
          limits: { connectMs: 2000, answerMs: 5000 },
        },
      ),
    ),
  );

function testPage(name: string, client: AsaasClient, pays: (reference: string) => void): void {
  const chargesOf = (reference: string) => asaas.paymentsOf(reference).filter(({ isDeleted }) => !isDeleted);
  const play = async (): Promise<PlayedCards> => {
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
      pays: async (reference) => await Promise.resolve(pays(reference)),
      chargedCount: async (reference) => {
        const paid = chargesOf(reference).filter(({ confirmedOn }) => confirmedOn !== null);
        return await Promise.resolve(new Set(paid.map(({ id, plan }) => plan?.id ?? id)).size);
      },
    });
  };
  testCardPort(name, play);
  // By whatever page a charge was paid, its money is that of its payments.
  if (client.account.page === "invoice") testSettlementFacts(name, play);
}

testPage("Asaas by its invoices", await clientOf("invoice"), (reference) => {
  asaas.pay(asaas.paymentsOf(reference).find(({ isDeleted }) => !isDeleted)?.id ?? "");
});
testPage("Asaas by its checkouts", await clientOf("checkout"), (reference) => {
  // The payer has the address of the last one.
  const checkout = asaas.checkoutsOf(reference).at(-1);
  asaas.payCheckout(checkout?.id ?? "", { count: checkout?.countMax ?? 1 });
});
