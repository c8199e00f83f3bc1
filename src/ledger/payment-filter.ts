import type { PaymentFilter as FilterMessage } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { isId } from "../../contract/ids.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";
import { fromMethodEnum } from "../pricing/mapping.ts";
import type { PaymentStatus } from "./entities.ts";
import { fromStateEnum, fromStatusEnum } from "./mapping.ts";
import { STATE_CONDITIONS, type PaymentState } from "./payment-state.ts";
import { periodOf, type Period } from "../platform/time/period.ts";

/** Selects payments of a tenant; an undefined field does not filter. */
export interface PaymentFilter {
  readonly period?: Period | undefined;
  readonly status?: PaymentStatus | undefined;
  readonly method?: PaymentMethod | undefined;
  readonly grossCurrency?: string | undefined;
  readonly netCurrency?: string | undefined;
  readonly linkId?: string | undefined;
  /** Exactly this one. */
  readonly reference?: string | undefined;
  readonly endToEndId?: string | undefined;
  readonly state?: PaymentState | undefined;
  readonly query?: string | undefined;
  /** The amount that `query` is read as, in the smallest unit. */
  readonly queryMinor?: bigint | undefined;
  /** The hashes of the payer that `query` names; none: it finds no payer. */
  readonly payerWords?: readonly string[];
}

/** Returns the hashes of the payer that a text names. */
export type PayerWordsOf = (typed: string) => readonly string[];

// The bank's, and the sandbox's in its place.
const END_TO_END_ID = /^(E\d{8}[0-9A-Za-z]{23}|sandbox-pay[0-9a-z]{26})$/;
const END_OF_ID = /^…?([0-9a-z]{6,26})$/;

/** Returns the filter of a request. Error: invalid_request on from or to. */
export function filterOf(message: FilterMessage | undefined, wordsOf: PayerWordsOf): PaymentFilter {
  const { from, to, status, paymentMethod, grossCurrency, netCurrency, linkId, state, query, queryAmount } =
    message ?? {};
  const isOnAnyDay = query !== undefined && (isId("pay", query) || END_TO_END_ID.test(query));
  const period =
    from === undefined && to === undefined && isOnAnyDay ? undefined : periodOf(from ?? "", to ?? "");
  return {
    period,
    status: status === undefined ? undefined : fromStatusEnum(status),
    method: paymentMethod === undefined ? undefined : fromMethodEnum(paymentMethod),
    grossCurrency,
    netCurrency,
    linkId,
    state: state === undefined ? undefined : fromStateEnum(state),
    query,
    queryMinor: queryAmount,
    payerWords: message?.queryFindsPayers && query !== undefined ? wordsOf(query) : [],
  };
}

// Uses no patterns: the typed text is matched literally.
const FOUND = [
  "p.id = $",
  "p.link_id = $",
  "p.end_to_end_id = $",
  "strpos(lower(p.reference), lower($)) > 0",
  "EXISTS (SELECT FROM json_each_text(p.metadata) AS item WHERE strpos(lower(item.value), lower($)) > 0)",
  `EXISTS (SELECT FROM payment_link l WHERE l.tenant_id = p.tenant_id AND l.id = p.link_id
    AND strpos(lower(concat_ws(chr(10), l.description, l.product_ref)), lower($)) > 0)`,
].join(" OR ");

const OF_PAYER = `EXISTS (SELECT FROM charge c WHERE c.tenant_id = p.tenant_id AND c.payment_id = p.id
  AND c.sealed_payer IS NOT NULL AND c.payer_words @> $::text[])`;

/** Returns the condition on payment `p` and price `r`, and appends its parameters to `values`. */
export function conditionOf(tenantId: string, filter: PaymentFilter, values: unknown[]): string {
  const { period, status, method, grossCurrency, netCurrency, linkId, reference, endToEndId, state } = filter;
  const parts: string[] = [];
  const add = (sql: string, value: unknown): void => {
    if (value === undefined) return;
    parts.push(withValue(sql, value, values));
  };
  add("p.tenant_id = $", tenantId);
  add("p.created_at >= $", period?.from);
  add("p.created_at < $", period?.until);
  add("p.status = $", status);
  add("r.method = $", method);
  add("r.payer_currency = $", grossCurrency);
  add("r.receiver_currency = $", netCurrency);
  add("p.link_id = $", linkId);
  add("p.reference = $", reference);
  add("p.end_to_end_id = $", endToEndId);
  if (state !== undefined) parts.push(STATE_CONDITIONS[state]);
  if (filter.query !== undefined) parts.push(queryCondition(filter.query, filter, values));
  return parts.join(" AND ");
}

/** Returns the condition that a payment is found by what was typed. */
function queryCondition(
  query: string,
  { period, queryMinor, payerWords = [] }: Pick<PaymentFilter, "period" | "queryMinor" | "payerWords">,
  values: unknown[],
): string {
  // Without a period, the search must not read all payments ever made.
  if (!period) return withValue("(p.id = $ OR p.end_to_end_id = $)", query, values);
  const ways = [withValue(FOUND, query, values)];
  const end = END_OF_ID.exec(query)?.[1];
  if (end !== undefined) ways.push(withValue(`right(p.id, ${end.length}) = $`, end, values));
  if (queryMinor !== undefined) {
    ways.push(
      withValue("r.payer_total_minor = $::int8 OR r.receiver_net_minor = $::int8", queryMinor, values),
    );
  }
  if (payerWords.length > 0) ways.push(withValue(OF_PAYER, payerWords, values));
  return `(${ways.join(" OR ")})`;
}

function withValue(sql: string, value: unknown, values: unknown[]): string {
  values.push(value);
  return sql.replaceAll("$", `$${values.length}`);
}
