import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import { ReceivableSchema, type Receivable } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  DisputeSchema,
  DisputeStatus,
  type Dispute as DisputeMessage,
} from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { ProviderEntryKind } from "../ledger/provider-postings.ts";
import { stampOf } from "../platform/timestamps.ts";
import type { DisputeRow } from "./entities.ts";
import { keyOf, type KnownFacts } from "./facts.ts";

const statuses = wordsOf(DisputeStatus);
// What payers are charged in.
const CURRENCY = "BRL";

/** Returns the receivables by their installment, from the facts that are kept. */
export function toReceivables(facts: KnownFacts): Receivable[] {
  const receivables: Receivable[] = [];
  for (let installment = 1; ; installment++) {
    const of = (kind: ProviderEntryKind) => facts.get(keyOf({ kind, installment }));
    const receivable = of("receivable");
    if (!receivable) return receivables;
    const minorOf = (kind: ProviderEntryKind): bigint => of(kind)?.amountMinor ?? 0n;
    const gross = receivable.amountMinor;
    const providerFee = minorOf("provider_fee");
    const anticipationFee = minorOf("anticipation");
    const chargeback = minorOf("chargeback");
    const refundDeduction = minorOf("refund_deduction");
    const payout = minorOf("payout");
    receivables.push(
      create(ReceivableSchema, {
        installment,
        gross,
        providerFee,
        anticipationFee,
        chargeback,
        refundDeduction,
        payout,
        outstanding: gross - providerFee - anticipationFee - chargeback - refundDeduction - payout,
        currency: CURRENCY,
        expectedOn: receivable.onDay ?? undefined,
        paidOutOn: of("payout")?.onDay ?? undefined,
      }),
    );
  }
}

export function toDispute(row: DisputeRow): DisputeMessage {
  return create(DisputeSchema, {
    id: row.id,
    paymentId: row.paymentId,
    installment: row.installment,
    amount: row.amountMinor,
    currency: CURRENCY,
    status: statuses.numbers[row.status],
    reason: row.reason ?? undefined,
    openedOn: row.openedOn ?? undefined,
    respondBy: row.respondBy ?? undefined,
    createdAt: timestampFromDate(row.createdAt),
    updatedAt: stampOf(row.updatedAt),
  });
}
