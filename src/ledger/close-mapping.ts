import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import { decimalText, MINOR_DIGITS, RATE_DIGITS } from "../../contract/decimal.ts";
import {
  BridgeLineKind as BridgeLineKindEnum,
  BridgeLineSchema,
  DaySealSchema,
  PaymentSumSchema,
  SealDeltaKind as SealDeltaKindEnum,
  SealDeltaSchema,
  type BridgeLine as BridgeLineMessage,
  type DaySeal,
  type PaymentSum as PaymentSumMessage,
  type SealDelta as SealDeltaMessage,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { toMethodEnum } from "../pricing/mapping.ts";
import type { BridgeLine } from "./bridge.ts";
import type { DaySealRow, KeptSum } from "./entities.ts";
import { toStatusEnum } from "./mapping.ts";
import { totalsOf, type PaymentSum } from "./payment-search.ts";
import type { SealDelta } from "./seal-deltas.ts";

const { numbers: lineKinds } = wordsOf(BridgeLineKindEnum);
const { numbers: deltaKinds } = wordsOf(SealDeltaKindEnum);
// Millionths of a centavo.
const VALUE_DIGITS = MINOR_DIGITS + RATE_DIGITS;

export function toPaymentSum({ day, method, status, ...sum }: PaymentSum): PaymentSumMessage {
  return create(PaymentSumSchema, {
    day: day ?? undefined,
    grossCurrency: sum.grossCurrency,
    netCurrency: sum.netCurrency,
    feeCurrency: sum.feeCurrency,
    ...(method === null ? {} : { paymentMethod: toMethodEnum(method) }),
    status: toStatusEnum(status),
    paymentCount: sum.paymentCount,
    grossAmount: sum.grossMinor,
    feeAmount: sum.feeMinor,
    netAmount: sum.netMinor,
  });
}

export function toBridgeLine({ kind, amountMinor, currency, valueMicros }: BridgeLine): BridgeLineMessage {
  return create(BridgeLineSchema, {
    kind: lineKinds[kind],
    amount: amountMinor ?? undefined,
    currency: currency ?? undefined,
    valueBrl: decimalText(valueMicros, VALUE_DIGITS),
  });
}

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

function fromKeptSum({ paymentCount, grossMinor, feeMinor, netMinor, ...common }: KeptSum): PaymentSum {
  return {
    ...common,
    day: null,
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
