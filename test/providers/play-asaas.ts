import { lookup } from "node:dns";
import { newId } from "../../contract/ids.ts";
import type { AsaasPage } from "../../src/providers/asaas/account.ts";
import { AsaasAccountStatement } from "../../src/providers/asaas/account-statement.ts";
import { AsaasClient } from "../../src/providers/asaas/client.ts";
import { AsaasPix } from "../../src/providers/asaas/pix.ts";
import { AsaasCards } from "../../src/providers/asaas/provider.ts";
import { API_KEY, PERSON } from "../live-cards/card-merchant.ts";
import { startAsaas, type Asaas } from "../support/asaas/asaas.ts";
import { isOpen } from "../support/asaas/removal.ts";
import type { CallName } from "../support/asaas/routes.ts";
import { forFile } from "../support/for-file.ts";
import { dayOf } from "../support/provider/dates.ts";
import type { PlayedStatement } from "./account-statement-port.ts";
import type { AdapterPlays } from "./adapter.ts";
import type { RemoteCards } from "./card-port.ts";
import type { RemotePix } from "./pix-port.ts";

/** Starts a simulated Asaas, and returns PIX and cards by its invoices played against it. */
export async function playAsaas(): Promise<AdapterPlays> {
  const { asaas, client } = await started("invoice");
  const pix = pixOf(asaas, client);
  const cards = cardsOf(asaas, client, invoicesOf(asaas));
  return {
    isRemote: true,
    pix: async () => await Promise.resolve(pix),
    cards: async () => await Promise.resolve(cards),
    statement: playStatement,
  };
}

async function playStatement(): Promise<PlayedStatement> {
  const { asaas, client } = await started("invoice");
  const { provider, request, pays } = pixOf(asaas, client);
  let money = "";
  return {
    statement: new AsaasAccountStatement(client, "pix", () => undefined),
    today: () => dayOf(asaas.clock.now()),
    nextDay: () => asaas.clock.advance(86_400),
    receives: async () => {
      const asked = request();
      await provider.createCharge(asked);
      money = await pays(asked.reference);
      return money;
    },
    givesBack: async () => {
      const refundId = newId("ref");
      const terms = { amountMinor: 5_000n, reason: null, requestedAt: asaas.clock.now() };
      await provider.refund({ ...terms, refundId, providerPaymentId: money });
      return 5_000n;
    },
  };
}

/** Returns cards by the checkouts of a simulated Asaas. */
export async function playAsaasCheckouts(): Promise<AdapterPlays> {
  const { asaas, client } = await started("checkout");
  const cards = cardsOf(asaas, client, checkoutsOf(asaas));
  return { isRemote: true, cards: async () => await Promise.resolve(cards) };
}

async function started(page: AsaasPage): Promise<{ readonly asaas: Asaas; readonly client: AsaasClient }> {
  const asaas = await startAsaas({ accounts: [{ apiKey: API_KEY }], mode: "production" });
  await forFile(Promise.resolve({ close: async () => await asaas.stop() }));
  asaas.clock.set(new Date("2026-11-20T15:00:00.000Z"));
  // The merchant's balance pays for refunds beyond what the fees left.
  asaas.payOut(-1_000_000n);
  const client = new AsaasClient(
    { id: "pac_1", apiKey: API_KEY, page, baseUrl: asaas.baseUrl },
    {
      clock: { nowMs: () => asaas.clock.now().getTime() },
      guard: { check: (address) => new URL(address), lookup },
      limits: { connectMs: 2000, answerMs: 5000 },
    },
  );
  return { asaas, client: await forFile(Promise.resolve(client)) };
}

const requestAt = (asaas: Asaas) => ({
  reference: newId("pay").replace("_", ""),
  amountMinor: 15_990n,
  merchantName: "Shop",
  description: "Shoes",
  expiresAt: new Date(asaas.clock.now().getTime() + 900_000),
  isRepeated: false,
  payer: { name: PERSON.name, document: "52998224725" },
});

const openOf = (asaas: Asaas, reference: string) => asaas.paymentsOf(reference).filter(isOpen);

/** A payer has the page or the code of what is open, or of what was removed. */
function paysOpen(asaas: Asaas, reference: string): string {
  const [first] = [...openOf(asaas, reference), ...asaas.paymentsOf(reference)];
  asaas.pay(first?.id ?? "");
  return first?.id ?? "";
}

function pixOf(asaas: Asaas, client: AsaasClient): RemotePix {
  return {
    provider: new AsaasPix(client, () => undefined),
    request: (changes = {}) => ({ ...requestAt(asaas), ...changes }),
    now: () => asaas.clock.now(),
    pays: async (reference) => await Promise.resolve(paysOpen(asaas, reference)),
    losesAnswer: (to) => asaas.fail(to === "charge" ? "createPayment" : "refundPayment", { kind: "lost" }),
    openCount: async (reference) => await Promise.resolve(openOf(asaas, reference).length),
    callbackOf: async (reference) => {
      const url = `${asaas.baseUrl}/payments/${asaas.paymentsOf(reference)[0]?.id}`;
      // A callback has the payment as it is answered.
      const answer = await fetch(url, { headers: { access_token: API_KEY, "user-agent": "test" } });
      return JSON.stringify({ event: "PAYMENT_RECEIVED", payment: await answer.json() });
    },
  };
}

/** What is at one of the pages, by its reference. */
interface Page {
  readonly pays: (reference: string) => void;
  /** The calls that make and that withdraw a charge of one installment. */
  readonly calls: readonly [made: CallName, withdrawn: CallName];
  readonly openCount: (reference: string) => number;
  readonly declinedAs: RemoteCards["declinedAs"];
}

function cardsOf(asaas: Asaas, client: AsaasClient, { pays, calls, ...page }: Page): RemoteCards {
  const [made, withdrawn] = calls;
  const chargesOf = (reference: string) => asaas.paymentsOf(reference).filter(({ isDeleted }) => !isDeleted);
  return {
    provider: new AsaasCards(client),
    request: (changes = {}) => ({
      ...requestAt(asaas),
      installments: 1,
      token: null,
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
  };
}

function invoicesOf(asaas: Asaas): Page {
  return {
    pays: (reference) => void paysOpen(asaas, reference),
    calls: ["createPayment", "deletePayment"],
    openCount: (reference) => openOf(asaas, reference).length,
    declinedAs: "challenge",
  };
}

function checkoutsOf(asaas: Asaas): Page {
  const activeOf = (reference: string) =>
    asaas.checkoutsOf(reference).filter(({ status }) => status === "ACTIVE");
  return {
    pays: (reference) => {
      // The payer has the address of the last one.
      const checkout = activeOf(reference).at(-1) ?? asaas.checkoutsOf(reference).at(-1);
      asaas.payCheckout(checkout?.id ?? "", { count: checkout?.countMax ?? 1 });
    },
    calls: ["createCheckout", "cancelCheckout"],
    openCount: (reference) => activeOf(reference).length,
    declinedAs: "absent",
  };
}
