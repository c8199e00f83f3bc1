import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  ReceivableSchema,
  ReceivableSumSchema,
  type Receivable,
  type ReceivableSum as ReceivableSumMessage,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  DisputeSchema,
  DisputeStatus,
  type Dispute as DisputeMessage,
} from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { ProviderEntryKind } from "../ledger/provider-postings.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import type { DisputeRow } from "./entities.ts";
import { keyOf, type KnownFacts } from "./facts.ts";
import type { ReceivableSum } from "./receivable-sums.ts";

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
    receivables.push(
      create(ReceivableSchema, {
        installment,
        ...amountsOf((kind) => of(kind)?.amountMinor ?? 0n),
        expectedOn: receivable.onDay ?? undefined,
        paidOutOn: of("payout")?.onDay ?? undefined,
      }),
    );
  }
}

export function toReceivableSum({ day, amounts }: ReceivableSum): ReceivableSumMessage {
  return create(ReceivableSumSchema, { day, ...amountsOf((kind) => amounts.get(kind) ?? 0n) });
}

/** Returns the amounts of each kind, and what they leave. */
function amountsOf(minorOf: (kind: ProviderEntryKind) => bigint) {
  const gross = minorOf("receivable");
  const deducted = {
    providerFee: minorOf("provider_fee"),
    anticipationFee: minorOf("anticipation"),
    chargeback: minorOf("chargeback"),
    refundDeduction: minorOf("refund_deduction"),
    payout: minorOf("payout"),
  };
  const outstanding = Object.values(deducted).reduce((left, minor) => left - minor, gross);
  return { gross, ...deducted, outstanding, currency: CURRENCY };
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
