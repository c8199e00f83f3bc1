import { create } from "@bufbuild/protobuf";
import { isId } from "../../../contract/ids.ts";
import {
  PaymentFilterSchema,
  PaymentStatusSchema,
  type PaymentFilter,
  type PaymentStatus,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethodSchema, type PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Form } from "../../pages/form.ts";
import { enumWords } from "../../../contract/enum-words.ts";
import { today } from "../day.ts";
import { withQuery } from "../parts/table.ts";

const QUERY_MAX = 255;

export const STATUSES = enumWords(PaymentStatusSchema).numberOf as ReadonlyMap<string, PaymentStatus>;
export const METHODS = enumWords(PaymentMethodSchema).numberOf as ReadonlyMap<string, PaymentMethod>;

/** The filters of the payments pages, as texts from the address. */
export interface Chosen {
  readonly from: string;
  readonly to: string;
  readonly status: string;
  readonly method: string;
  readonly net: string;
  readonly link: string;
  readonly q: string;
}

/** Returns the filters in the address. The default period is today. */
export function chosenOf(query: Form): Chosen {
  const text = (name: string): string => (query[name] ?? "").trim();
  const [from, to] = [text("from"), text("to")];
  const day = today();
  return {
    from: from || to || day,
    to: to || from || day,
    status: STATUSES.has(text("status")) ? text("status") : "",
    method: METHODS.has(text("method")) ? text("method") : "",
    net: ["BRL", "USD"].includes(text("net")) ? text("net") : "",
    link: text("link"),
    q: text("q").slice(0, QUERY_MAX),
  };
}

/** Returns whether the search text is a payment's id. The search then ignores the period. */
export function isById({ q }: Chosen): boolean {
  return isId("pay", q);
}

/** Returns the filters as the core's message. */
export function filterOf(chosen: Chosen): PaymentFilter {
  const { from, to, status, method, net, link, q } = chosen;
  const statusNumber = STATUSES.get(status);
  const methodNumber = METHODS.get(method);
  return create(PaymentFilterSchema, {
    ...(isById(chosen) ? {} : { from, to }),
    ...(statusNumber === undefined ? {} : { status: statusNumber }),
    ...(methodNumber === undefined ? {} : { paymentMethod: methodNumber }),
    ...(net === "" ? {} : { netCurrency: net }),
    ...(link === "" ? {} : { linkId: link }),
    ...(q === "" ? {} : { query: q }),
  });
}

/** Returns an address with the filters and these changes. */
export function addressOf(
  path: string,
  chosen: Chosen,
  change: Readonly<Record<string, string>> = {},
): string {
  return withQuery(path, { ...chosen, ...change });
}
