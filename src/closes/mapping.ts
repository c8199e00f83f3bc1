import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  CloseSchema,
  CloseTotalSchema,
  DaySealSchema,
  SealDeltaKind as SealDeltaKindEnum,
  SealDeltaSchema,
  type Close,
  type CloseTotal,
  type DaySeal,
  type SealDelta as SealDeltaMessage,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { totalsOf, type PaymentSum } from "../ledger/payment-search.ts";
import { toPaymentSum } from "../ledger/reconciliation-mapping.ts";
import type { DaySealRow, KeptSum } from "./entities.ts";
import type { SealDelta } from "./seal-deltas.ts";

const { numbers: deltaKinds } = wordsOf(SealDeltaKindEnum);

export function toDaySeal(seal: DaySealRow): DaySeal {
  const sums = seal.sums.map(fromKeptSum);
  return create(DaySealSchema, {
    day: seal.day,
    formatVersion: seal.formatVersion,
    paymentCount: seal.paymentCount,
    byteCount: seal.byteCount,
    rowsSha256: seal.rowsSha256,
    headSha256: seal.headSha256,
    sums: sums.map(toPaymentSum),
    totals: totalsOf(sums).map(toPaymentSum),
    sealedAt: timestampFromDate(seal.sealedAt),
    sealedBy: seal.sealedBy ?? undefined,
  });
}

export function toClose(seal: DaySealRow): Close {
  const { day, paymentCount, formatVersion, byteCount, rowsSha256, headSha256, sealedAt } = seal;
  return create(CloseSchema, {
    day,
    paymentCount,
    totals: totalsOf(seal.sums.map(fromKeptSum)).map(toCloseTotal),
    formatVersion,
    byteCount,
    rowsSha256,
    headSha256,
    closedAt: timestampFromDate(sealedAt),
  });
}

function toCloseTotal(sum: PaymentSum): CloseTotal {
  const { grossCurrency, netCurrency, feeCurrency, status, paymentCount } = toPaymentSum(sum);
  const amounts = { grossAmount: sum.grossMinor, feeAmount: sum.feeMinor, netAmount: sum.netMinor };
  const common = { grossCurrency, netCurrency, feeCurrency, status, paymentCount };
  return create(CloseTotalSchema, { ...common, ...amounts });
}

function fromKeptSum({ paymentCount, grossMinor, feeMinor, netMinor, ...common }: KeptSum): PaymentSum {
  return {
    ...common,
    day: null,
    state: null,
    paymentCount: BigInt(paymentCount),
    grossMinor: BigInt(grossMinor),
    feeMinor: BigInt(feeMinor),
    netMinor: BigInt(netMinor),
  };
}

export function toSealDelta({ paymentId, kind, sealedRow, currentRow }: SealDelta): SealDeltaMessage {
  return create(SealDeltaSchema, {
    paymentId,
    kind: deltaKinds[kind],
    sealedRow,
    currentRow,
  });
}
