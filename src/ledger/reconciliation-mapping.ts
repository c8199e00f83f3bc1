import { create } from "@bufbuild/protobuf";
import { wordsOf } from "../../contract/enum-words.ts";
import { decimalText, MINOR_DIGITS, RATE_DIGITS } from "../../contract/decimal.ts";
import {
  BridgeLineKind as BridgeLineKindEnum,
  BridgeLineSchema,
  PaymentSumSchema,
  type BridgeLine as BridgeLineMessage,
  type PaymentSum as PaymentSumMessage,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { toMethodEnum } from "../pricing/mapping.ts";
import type { BridgeLine } from "./bridge.ts";
import { toStateEnum, toStatusEnum } from "./mapping.ts";
import type { PaymentSum } from "./payment-search.ts";

const { numbers: lineKinds } = wordsOf(BridgeLineKindEnum);
// Millionths of a centavo.
const VALUE_DIGITS = MINOR_DIGITS + RATE_DIGITS;

export function toPaymentSum({ day, method, status, state, ...sum }: PaymentSum): PaymentSumMessage {
  return create(PaymentSumSchema, {
    day: day ?? undefined,
    grossCurrency: sum.grossCurrency,
    netCurrency: sum.netCurrency,
    feeCurrency: sum.feeCurrency,
    ...(method === null ? {} : { paymentMethod: toMethodEnum(method) }),
    status: toStatusEnum(status),
    ...(state === null ? {} : { state: toStateEnum(state) }),
    paymentCount: sum.paymentCount,
    grossAmount: sum.grossMinor,
    feeAmount: sum.feeMinor,
    netAmount: sum.netMinor,
    refundedAmount: sum.refundedMinor,
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
