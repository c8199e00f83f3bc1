import { lookup } from "node:dns";
import { newId } from "../../contract/ids.ts";
import type { AsaasPage } from "../../src/providers/asaas/account.ts";
import { AsaasClient } from "../../src/providers/asaas/client.ts";
import { AsaasCards } from "../../src/providers/asaas/provider.ts";
import { startAsaas } from "../support/asaas/asaas.ts";
import { isOpen } from "../support/asaas/removal.ts";
import type { CallName } from "../support/asaas/routes.ts";
import { forFile } from "../support/for-file.ts";
import { testCardPort, testRemoteCards, testSettlementFacts, type RemoteCards } from "./card-port.ts";
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

/** What is at one of the pages, by its reference. */
interface Page {
  readonly pays: (reference: string) => void;
  /** The calls that make and that withdraw a charge of one installment. */
  readonly calls: readonly [made: CallName, withdrawn: CallName];
  readonly openCount: (reference: string) => number;
  readonly declinedAs: RemoteCards["declinedAs"];
}

function testPage(name: string, client: AsaasClient, { pays, calls, ...page }: Page): void {
  const [made, withdrawn] = calls;
  const chargesOf = (reference: string) => asaas.paymentsOf(reference).filter(({ isDeleted }) => !isDeleted);
  const play = async (): Promise<RemoteCards> => {
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
      ...page,
      pays: async (reference) => await Promise.resolve(pays(reference)),
      declines: async (reference) => {
        for (const { id } of chargesOf(reference)) asaas.decline(id);
        await Promise.resolve();
      },
      losesAnswer: () => asaas.fail(made, { kind: "lost" }),
      paysDuringWithdrawal: (reference, kind) => asaas.fail(withdrawn, { kind, act: () => pays(reference) }),
      chargedCount: async (reference) => {
        const paid = asaas.paymentsOf(reference).filter(({ confirmedOn }) => confirmedOn !== null);
        return await Promise.resolve(new Set(paid.map(({ id, plan }) => plan?.id ?? id)).size);
      },
    });
  };
  testCardPort(name, play);
  testRemoteCards(name, play);
  // By whatever page a charge was paid, its money is that of its payments.
  if (client.account.page === "invoice") testSettlementFacts(name, play);
}

const openOf = (reference: string) => asaas.paymentsOf(reference).filter(isOpen);
testPage("Asaas by its invoices", await clientOf("invoice"), {
  pays: (reference) => {
    const [first] = asaas.paymentsOf(reference);
    asaas.pay((openOf(reference)[0] ?? first)?.id ?? "");
  },
  calls: ["createPayment", "deletePayment"],
  openCount: (reference) => openOf(reference).length,
  declinedAs: "challenge",
});
const activeOf = (reference: string) =>
  asaas.checkoutsOf(reference).filter(({ status }) => status === "ACTIVE");
testPage("Asaas by its checkouts", await clientOf("checkout"), {
  pays: (reference) => {
    // The payer has the address of the last one.
    const checkout = activeOf(reference).at(-1) ?? asaas.checkoutsOf(reference).at(-1);
    asaas.payCheckout(checkout?.id ?? "", { count: checkout?.countMax ?? 1 });
  },
  calls: ["createCheckout", "cancelCheckout"],
  openCount: (reference) => activeOf(reference).length,
  declinedAs: "absent",
});
