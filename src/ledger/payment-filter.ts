import type { PaymentFilter as FilterMessage } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { isId } from "../../contract/ids.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";
import { fromMethodEnum } from "../pricing/mapping.ts";
import type { PaymentStatus } from "./entities.ts";
import { fromStatusEnum } from "./mapping.ts";
import { periodOf, type Period } from "../platform/time/period.ts";

/** Selects payments of a tenant; an undefined field does not filter. */
export interface PaymentFilter {
  readonly period?: Period | undefined;
  readonly status?: PaymentStatus | undefined;
  readonly method?: PaymentMethod | undefined;
  readonly grossCurrency?: string | undefined;
  readonly netCurrency?: string | undefined;
  readonly linkId?: string | undefined;
  readonly query?: string | undefined;
}

/** Returns the filter of a request. Error: invalid_request on from or to. */
export function filterOf(message: FilterMessage | undefined): PaymentFilter {
  const { from, to, status, paymentMethod, grossCurrency, netCurrency, linkId, query } = message ?? {};
  const isById = query !== undefined && isId("pay", query);
  const period =
    from === undefined && to === undefined && isById ? undefined : periodOf(from ?? "", to ?? "");
  if (!period && !isById) throw invalidRequest("from", "from and to are required.");
  return {
    period,
    status: status === undefined ? undefined : fromStatusEnum(status),
    method: paymentMethod === undefined ? undefined : fromMethodEnum(paymentMethod),
    grossCurrency,
    netCurrency,
    linkId,
    query,
  };
}

// Uses no patterns: the typed text is matched literally.
const FOUND = `(p.id = $ OR p.link_id = $ OR strpos(lower(p.reference), lower($)) > 0
  OR EXISTS (SELECT FROM json_each_text(p.metadata) AS item WHERE strpos(lower(item.value), lower($)) > 0))`;

/** Returns the condition on payment `p` and price `r`, and appends its parameters to `values`. */
export function conditionOf(tenantId: string, filter: PaymentFilter, values: unknown[]): string {
  const { period, status, method, grossCurrency, netCurrency, linkId, query } = filter;
  const parts: string[] = [];
  const add = (sql: string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    parts.push(sql.replaceAll("$", `$${values.length}`));
  };
  add("p.tenant_id = $", tenantId);
  add("p.created_at >= $", period?.from);
  add("p.created_at < $", period?.until);
  add("p.status = $", status);
  add("r.method = $", method);
  add("r.payer_currency = $", grossCurrency);
  add("r.receiver_currency = $", netCurrency);
  add("p.link_id = $", linkId);
  // Without a period, the search must not read all payments ever made.
  add(period ? FOUND : "p.id = $", query);
  return parts.join(" AND ");
}
