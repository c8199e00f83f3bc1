import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { CallName } from "../../support/pagarme/routes.ts";
import { cardToken, connectPagarme, FULL_PERSON, startPagarmeService } from "../pagarme-merchant.ts";
import type { KilledMerchant, KilledProvider } from "./killed-provider.ts";

// Each merchant has an account of its own.
const ACCOUNTS = Array.from({ length: 100 }, (_, index) => {
  const hex = index.toString(16).padStart(16, "0");
  return { secretKey: `sk_${hex}`, publicKey: `pk_${hex}` };
});

/** Pagar.me, which decides at once, or after a review. */
export async function killedPagarme(): Promise<KilledProvider> {
  const cards = await startPagarmeService(ACCOUNTS);
  const { pagarme, service, providers } = cards;
  pagarme.refundRules.outcome = "pending";
  const accounts = [...ACCOUNTS];
  const chargesOf = ({ key }: KilledMerchant) => [...pagarme.account(key).charges.values()];
  const lastOf = (charge: ReturnType<typeof chargesOf>[number]) => charge.transactions.at(-1)?.status;
  const waitsOf = (of: KilledMerchant) =>
    chargesOf(of).filter(({ status }) => status === "pending" || status === "processing");
  return {
    service,
    providers,
    requests: pagarme.requests,
    link: { amount: 100_000, payment_methods: ["card"], max_installments: 18 },
    refundCall: "cancelCharge",
    connect: async () => {
      const keys = accounts.pop();
      const merchant = await connectPagarme(cards, { ...keys, isWithoutAntifraud: true });
      return { ...merchant, key: keys?.secretKey ?? "", path: new URL(merchant.callbackUrl).pathname };
    },
    request: async ({ key }, isWaiting = false) => {
      if (isWaiting) pagarme.decide({ kind: "review" });
      const token = await cardToken(pagarme, undefined, {}, pagarme.account(key).publicKey);
      return {
        paymentMethod: PaymentMethod.CARD,
        installments: 2,
        cardToken: token,
        payer: FULL_PERSON,
      };
    },
    fail: (call, kind, earlier) => {
      pagarme.fail(call as CallName, { kind: "before", act: () => undefined }, earlier);
      pagarme.fail(call as CallName, { kind });
    },
    pays: (of) => {
      for (const { id } of waitsOf(of)) pagarme.endWaiting(id, { kind: "paid" });
    },
    ending: "reviewed_at = created_at - interval '5 days'",
    endedAs: "failed",
    callback: (of, code) => {
      const data = { id: chargesOf(of)[0]?.id, order: { code } };
      const told = JSON.stringify({ id: crypto.randomUUID(), type: "charge.updated", data });
      const [signature = ""] = Object.values(pagarme.signing.headers(told));
      return [told, { signature }];
    },
    endRefunds: (of) => {
      for (const charge of chargesOf(of))
        if (lastOf(charge) === "pending_refund") pagarme.endRefund(charge.id, true);
    },
    at: (of) => ({
      paid: chargesOf(of).filter(({ paidAt }) => paidAt !== null).length,
      open: waitsOf(of).length,
      returned: chargesOf(of)
        .filter(({ paidAt }) => paidAt !== null)
        .flatMap(({ transactions }) => transactions)
        .filter(({ operationType }) => operationType === "cancel").length,
    }),
    advance: (seconds) => pagarme.clock.advance(seconds),
    close: async () => await cards.close(),
  };
}
