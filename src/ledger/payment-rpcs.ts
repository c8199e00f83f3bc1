import type { ServiceImpl } from "@connectrpc/connect";
import type { CreatePaymentIntentRequest, LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { isId, newId } from "../../contract/ids.ts";
import { requireLeastSettlementTerm } from "../identity/settlement-term.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import { insert } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { checkPayerCountry } from "../platform/text/country.ts";
import { noSuch, type PaylinkError } from "../platform/rpc/errors.ts";
import { checkOwnWords } from "../platform/rpc/metadata.ts";
import type { LedgerDeps } from "./deps.ts";
import { PaymentIntent, type PaymentIntentRow } from "./entities.ts";
import { toPayment, toPaymentIntent } from "./mapping.ts";
import { findIntent, findPricedPayment } from "./repository.ts";

type Rpcs = Pick<
  ServiceImpl<typeof LedgerService>,
  "createPaymentIntent" | "getPaymentIntent" | "getPayment"
>;

/** The RPCs of payment intents and of one payment. */
export function paymentRpcs({
  operations,
  identity,
  clock,
}: Pick<LedgerDeps, "operations" | "identity" | "clock">): Rpcs {
  async function newIntent(request: CreatePaymentIntentRequest, caller: Caller): Promise<PaymentIntentRow> {
    const settings = await identity.settingsOf(caller.tenantId);
    const payee = identity.payee(settings, request.legalEntityId);
    const { settlementTerm = `D+${settings.tenant.settlementDays}` } = request;
    requireLeastSettlementTerm(settings.tenant, settlementTerm, "settlement_term");
    return {
      tenantId: caller.tenantId,
      id: newId("pi"),
      quoteId: null,
      legalEntityId: payee.id,
      amountMinor: request.amount ?? 0n,
      currency: request.currency === "USD" ? "USD" : "BRL",
      payerCountry: request.payerCountry ?? null,
      settlementTerm,
      feeStrategy: request.feeStrategy ?? null,
      fxRateHistoryId: null,
      reference: request.reference ?? null,
      metadata: request.metadata ?? {},
      createdAt: wholeSecond(clock),
    };
  }

  return {
    createPaymentIntent: operations.write({
      check: ({ metadata, feeStrategy, payerCountry }) => {
        checkOwnWords({ metadata, fee_strategy: feeStrategy });
        checkPayerCountry(payerCountry);
      },
      decide: async (request, caller) => {
        const intent = await newIntent(request, caller);
        return {
          response: { paymentIntent: toPaymentIntent(caller.mode, intent) },
          changes: [insert(PaymentIntent, intent)],
          audit: { objectId: intent.id },
        };
      },
    }),
    getPaymentIntent: operations.run(async ({ id }, { tenantId, mode, environment }) => {
      const intent = isId("pi", id) ? await findIntent(environment, tenantId, id) : null;
      if (!intent) throw noSuch("payment_intent_not_found", "payment intent");
      return { paymentIntent: toPaymentIntent(mode, intent) };
    }),
    getPayment: operations.run(async ({ id }, { tenantId, environment }) => {
      const payment = isId("pay", id) ? await findPricedPayment(environment, tenantId, id) : undefined;
      if (!payment) throw paymentNotFound();
      return { payment: toPayment(payment) };
    }),
  };
}

function paymentNotFound(): PaylinkError {
  return noSuch("payment_not_found", "payment");
}
