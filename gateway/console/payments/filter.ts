import { create } from "@bufbuild/protobuf";
import {
  PaymentFilterSchema,
  PaymentStatusSchema,
  type PaymentFilter,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethodSchema } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { today } from "../day.ts";
import { enumOptions, Filters, type Values } from "../list/filters.ts";
import { methodText, statusText } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";

const PAYMENT_ID = /^pay_[0-9a-z]{26}$/;

/** The filters of the payments pages, as texts from the address. */
export type Chosen = Values<"from" | "to" | "status" | "method" | "net" | "link" | "q">;

/** The filters of payments. The default period is today. */
export const filters = new Filters(
  PaymentFilterSchema,
  messagesIn,
  {
    from: { kind: "day", label: "from", refused: "period_refused" },
    to: { kind: "day", label: "to", refused: "period_refused" },
    status: {
      kind: "choice",
      label: "status",
      options: (visit) => enumOptions(PaymentStatusSchema, (status) => statusText(visit, status)),
    },
    method: {
      kind: "choice",
      field: "paymentMethod",
      label: "method",
      options: (visit) => enumOptions(PaymentMethodSchema, (method) => methodText(visit, method)),
    },
    net: {
      kind: "choice",
      field: "netCurrency",
      label: "net_currency",
      options: () => ["BRL", "USD"].map((currency) => [currency, currency]),
    },
    link: { kind: "hidden", field: "linkId", label: "link" },
    q: { kind: "search", field: "query", label: "search_label" },
  },
  (values) => {
    const { from, to } = values;
    const day = today();
    return { ...values, from: from || to || day, to: to || from || day };
  },
);

/** Returns the filters in the address. */
export function chosenOf({ query }: Visit): Chosen {
  return filters.read((name) => query[name]);
}

/** Returns whether the search text is a payment's id. The search then ignores the period. */
export function isById({ q }: Chosen): boolean {
  return PAYMENT_ID.test(q);
}

/** Returns the filters as the core's message. */
export function filterOf(chosen: Chosen): PaymentFilter {
  return create(
    PaymentFilterSchema,
    filters.request(isById(chosen) ? { ...chosen, from: "", to: "" } : chosen),
  );
}
