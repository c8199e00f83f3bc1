import { create } from "@bufbuild/protobuf";
import {
  BridgeLineKind as BridgeLineKindEnum,
  BridgeLineSchema,
  PaymentSumSchema,
  type BridgeLine as BridgeLineMessage,
  type PaymentSum as PaymentSumMessage,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { toMethodEnum } from "../pricing/mapping.ts";
import type { BridgeLine, BridgeLineKind } from "./bridge.ts";
import { toStatusEnum } from "./mapping.ts";
import type { PaymentSum } from "./payment-search.ts";

const lineKinds: Record<BridgeLineKind, BridgeLineKindEnum> = {
  gross: BridgeLineKindEnum.GROSS,
  service_fee: BridgeLineKindEnum.SERVICE_FEE,
  installment_surcharge: BridgeLineKindEnum.INSTALLMENT_SURCHARGE,
  iof: BridgeLineKindEnum.IOF,
  rounding: BridgeLineKindEnum.ROUNDING,
  net: BridgeLineKindEnum.NET,
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

function decimal(micros: bigint): string {
  const sign = micros < 0n ? "-" : "";
  const digits = String(micros < 0n ? -micros : micros).padStart(VALUE_DIGITS + 1, "0");
  return `${sign}${digits.slice(0, -VALUE_DIGITS)}.${digits.slice(-VALUE_DIGITS)}`;
}
