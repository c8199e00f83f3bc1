import { AsaasPage, ProviderKind } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { createMerchant } from "../../support/merchant.ts";
import type { CallName } from "../../support/asaas/routes.ts";
import { API_KEY, CALLBACK_TOKEN, configAt, PERSON, startCards } from "../card-merchant.ts";
import type { KilledMerchant, KilledProvider } from "./killed-provider.ts";

// Each merchant has an account of its own.
const KEYS = Array.from({ length: 200 }, (_, index) => `${API_KEY}-${index}`);

/** Asaas with one of its pages, or by PIX. */
export async function killedAsaas(way: "invoice" | "checkout" | "pix"): Promise<KilledProvider> {
  const cards = await startCards(KEYS);
  const { asaas, service, providers } = cards;
  asaas.refundRules.outcome = "PENDING";
  const isPix = way === "pix";
  const keys = [...KEYS];
  const paymentsOf = ({ key }: KilledMerchant) =>
    [...asaas.account(key).payments.values()].filter(({ isDeleted }) => !isDeleted);
  const checkoutsOf = ({ key }: KilledMerchant) =>
    [...asaas.account(key).checkouts.values()].filter(({ status }) => status === "ACTIVE");
  return {
    service,
    providers,
    requests: asaas.requests,
    link: isPix
      ? { amount: 100_000, payment_methods: ["pix"] }
      : { amount: 100_000, payment_methods: ["card"], max_installments: 21 },
    refundCall: isPix ? "refundPayment" : "refundPlan",
    connect: async () => {
      const key = keys.pop() ?? "";
      const merchant = await createMerchant(service, {}, "live");
      const page = way === "checkout" ? AsaasPage.CHECKOUT : AsaasPage.INVOICE;
      const { account, callbackUrl } = await providers.putProviderAccount(
        {
          kind: isPix ? ProviderKind.PIX : ProviderKind.CARD,
          profile: "asaas",
          asaas: configAt(cards, key, isPix ? {} : { page }),
        },
        merchant.as,
      );
      // Asaas keeps its fee: the merchant's balance pays for a refund.
      asaas.payOut(-100_000n, key);
      return { ...merchant, key, accountId: account?.id ?? "", path: new URL(callbackUrl).pathname };
    },
    request: async () =>
      await Promise.resolve(
        isPix ? { payer: PERSON } : { paymentMethod: PaymentMethod.CARD, installments: 2, payer: PERSON },
      ),
    fail: (call, kind, earlier) => {
      asaas.fail(call as CallName, { kind: "before", act: () => undefined }, earlier);
      asaas.fail(call as CallName, { kind });
    },
    pays: (of, shown) => {
      if (shown === undefined) return;
      const id = shown.split("/").at(-1) ?? "";
      const open = paymentsOf(of).find(({ confirmedOn }) => confirmedOn === null);
      if (open) asaas.pay(open.id);
      else if (checkoutsOf(of).some((checkout) => checkout.id === id)) asaas.payCheckout(id, { count: 2 });
    },
    ending: "expires_at = created_at - interval '2 minutes'",
    endedAs: isPix ? "expired" : "failed",
    callback: (_of, reference) => [
      JSON.stringify({ id: crypto.randomUUID(), payment: { id: "pay_1", externalReference: reference } }),
      { token: CALLBACK_TOKEN },
    ],
    endRefunds: (of) => {
      for (const { id } of paymentsOf(of)) asaas.endRefunds(id, "DONE");
    },
    at: (of) => {
      asaas.keepTime();
      const idsOf = (isPaid: boolean): number =>
        new Set(
          paymentsOf(of)
            .filter(({ confirmedOn }) => (confirmedOn !== null) === isPaid)
            .map(({ id, plan }) => plan?.id ?? id),
        ).size;
      const refunds = paymentsOf(of).flatMap((payment) => payment.refunds);
      return {
        paid: idsOf(true),
        open: idsOf(false) + checkoutsOf(of).length,
        returned: new Set(refunds.map(({ description }) => description)).size,
      };
    },
    advance: (seconds) => asaas.clock.advance(seconds),
    close: async () => await cards.close(),
  };
}
