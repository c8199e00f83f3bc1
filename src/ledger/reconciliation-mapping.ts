import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
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
import type { BridgeLine, BridgeLineKind } from "./bridge.ts";
import type { DaySealRow, KeptSum } from "./entities.ts";
import { toStatusEnum } from "./mapping.ts";
import { totalsOf, type PaymentSum } from "./payment-search.ts";
import type { SealDelta, SealDeltaKind } from "../closes/seal-deltas.ts";

const lineKinds: Record<BridgeLineKind, BridgeLineKindEnum> = {
  gross: BridgeLineKindEnum.GROSS,
  service_fee: BridgeLineKindEnum.SERVICE_FEE,
  installment_surcharge: BridgeLineKindEnum.INSTALLMENT_SURCHARGE,
  iof: BridgeLineKindEnum.IOF,
  rounding: BridgeLineKindEnum.ROUNDING,
  net: BridgeLineKindEnum.NET,
};
const deltaKinds: Record<SealDeltaKind, SealDeltaKindEnum> = {
  changed: SealDeltaKindEnum.CHANGED,
  new: SealDeltaKindEnum.NEW,
  gone: SealDeltaKindEnum.GONE,
};
// A centavo is two decimal places of BRL, and its millionth six more.
const VALUE_DIGITS = 8;

export function toPaymentSum({ day, method, status, ...sum }: PaymentSum): PaymentSumMessage {
  return create(PaymentSumSchema, {
    ...(day === null ? {} : { day }),
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
    ...(amountMinor === null ? {} : { amount: amountMinor }),
    ...(currency === null ? {} : { currency }),
    valueBrl: decimal(valueMicros),
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
    ...(seal.sealedBy == null ? {} : { sealedBy: seal.sealedBy }),
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
    ...(sealedRow === undefined ? {} : { sealedRow }),
    ...(currentRow === undefined ? {} : { currentRow }),
  });
}

function decimal(micros: bigint): string {
  const sign = micros < 0n ? "-" : "";
  const digits = String(micros < 0n ? -micros : micros).padStart(VALUE_DIGITS + 1, "0");
  return `${sign}${digits.slice(0, -VALUE_DIGITS)}.${digits.slice(-VALUE_DIGITS)}`;
}
