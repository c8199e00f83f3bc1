import { create } from "@bufbuild/protobuf";
import { wordsOf } from "../../../contract/enum-words.ts";
import {
  PaymentFilterSchema,
  PaymentOrder,
  PaymentStateSchema,
  type PaymentFilter,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethodSchema } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { currencySymbol } from "../../../contract/money-text.ts";
import { html, type Html } from "../../pages/html.ts";
import { presentDay, today } from "../day.ts";
import { minorOf } from "../fields/money-text.ts";
import { enumOptions, Filters, type Values } from "../list/filters.ts";
import { list } from "../list/list.ts";
import type { View } from "../list/parts.ts";
import { cut, hasNet, methodText, shortMethodText, time } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { foundText, totalsCard } from "./totals.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { payerNames, paymentLink, paymentName } from "./names.ts";
import { stateBadge, stateOf, stateText } from "./state.ts";

const PAGE = 20;
const orders = wordsOf(PaymentOrder);
// Of a payment, or of its money at the bank or in the sandbox.
const WHOLE_ID = /^(?:pay_[0-9a-z]{26}|E\d{8}[0-9A-Za-z]{23}|sandbox-pay[0-9a-z]{26})$/;

/** The filters of the payments pages, as texts from the address. */
export type Chosen = Values<"from" | "to" | "status" | "method" | "net" | "link" | "q">;

/** The filters of payments. The default period is today. */
const filters = new Filters(
  PaymentFilterSchema,
  messagesIn,
  {
    from: { kind: "day", label: "from", refused: "period_refused" },
    to: { kind: "day", label: "to", refused: "period_refused" },
    status: {
      kind: "choice",
      field: "state",
      label: "status",
      options: (visit) => enumOptions(PaymentStateSchema, (state) => stateText(visit, state)),
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
      options: () => ["BRL", "USD"].map((currency) => [currency, currencySymbol(currency)]),
    },
    link: { kind: "hidden", field: "linkId", label: "link" },
    q: { kind: "search", field: "query", label: "search_label", placeholder: "search_help" },
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

/** Returns whether the search text is the id of a payment or of its money. The search then ignores the period. */
export function isById({ q }: Chosen): boolean {
  return WHOLE_ID.test(q);
}

/** Returns the filters as the core's message. The search text may be an amount, as one types it. */
export function filterOf(visit: Visit, chosen: Chosen): PaymentFilter {
  const filter = create(
    PaymentFilterSchema,
    filters.request(isById(chosen) ? { ...chosen, from: "", to: "" } : chosen),
  );
  const amount = ["BRL", "USD"]
    .map((currency) => minorOf(chosen.q, currency, visit.language))
    .find((minor) => typeof minor === "bigint");
  return {
    ...filter,
    ...(amount === undefined ? {} : { queryAmount: amount }),
    queryFindsPayers: visit.can("payers.read"),
  };
}

/** The payments of a period, with their sums. */
export const paymentsList = list({
  path: "/payments",
  permission: "payments.read",
  messages: messagesIn,
  title: "title",
  caption: "payments_of",
  filters,
  sorts: {
    time: ["created_desc", "created_asc"],
    gross: ["gross_desc", "gross_asc"],
  },
  fetch: async (visit, { cursor, values, order: word }) => {
    const { core, as } = visit;
    const filter = filterOf(visit, values);
    const order = orders.numberOf(word);
    const asked = { filter, limit: PAGE, withDetails: true, ...cursor, ...(order ? { order } : {}) };
    const [{ payments, details, nextCursor }, summary] = await Promise.all([
      core.ledger.searchPayments(asked, as),
      core.ledger.summarizePayments({ filter, byState: true }, as),
    ]);
    const payers = await payerNames(visit, payments);
    const names = new Map(payments.map(({ id }, index) => [id, paymentName(details[index], payers.get(id))]));
    return { rows: payments, next: nextCursor, summary, names };
  },
  total: ({ summary }) => summary.paymentCount,
  actions: ({ visit, t, found, address }) =>
    html`<a class="button" href="${visit.path("/payments/balance")}">${t("balance")}</a>
      <a class="button" href="${visit.path("/payments/refunds")}">${t("refunds")}</a> ${
        visit.can("payments.export") && found.summary.paymentCount > 0n
          ? html`<a class="button" href="${address({}, "/payments/export")}">${t("export")}</a>`
          : ""
      }`,
  above: quickLinks,
  count: ({ visit, t, values, found }) =>
    html`<p>
      <strong>${foundText(visit, found.summary.paymentCount)}</strong>
      ${isById(values) ? html`<span class="quiet">${t("by_id")}</span>` : ""}
    </p>`,
  around: (table, { visit, found }) =>
    html`<div class="results">${totalsCard(visit, found.summary)} ${table}</div>`,
  columns: ({ visit, found }) => ({
    payment: ({ id }) => paymentLink(visit, id, found.names.get(id) ?? ""),
    time: ({ createdAt }) => time(visit, createdAt),
    status: (payment) => stateBadge(visit, stateOf(payment)),
    gross: ({ grossAmount, grossCurrency }) => visit.format.money(grossAmount, grossCurrency),
    fee: ({ status, feeAmount, feeCurrency }) =>
      hasNet(status) ? visit.format.money(feeAmount, feeCurrency) : "—",
    net: ({ status, netAmount, netCurrency }) =>
      hasNet(status) ? visit.format.money(netAmount, netCurrency) : "—",
    method: ({ paymentMethod, installments }) =>
      `${shortMethodText(visit, paymentMethod)}${installments === undefined ? "" : ` ${installments}×`}`,
    reference: ({ reference }) => cut(reference ?? "—", "reference"),
  }),
  isOfLines: true,
  numbers: ["gross", "fee", "net"],
  pocket: ["status", "time"],
  empty: ({ values: { from, q } }) => [
    "empty_title",
    from === today() && q === "" ? "empty_today" : "empty_text",
  ],
});

/** Returns the links to usual periods. */
function quickLinks({ t, values, address }: View<keyof Chosen, MessageKey>): Html {
  const now = presentDay();
  const periods = [
    ["today", now, now],
    ["yesterday", now.subtract({ days: 1 }), now.subtract({ days: 1 })],
    ["last_7_days", now.subtract({ days: 6 }), now],
    ["this_month", now.with({ day: 1 }), now],
  ] as const;
  return html`<nav class="quick" aria-label="${t("quick")}">
    ${periods.map(([word, first, last]) => {
      const [from, to] = [first.toString(), last.toString()];
      const isCurrent = values.from === from && values.to === to;
      return html`<a href="${address({ from, to })}" ${isCurrent ? html` aria-current="true"` : ""}
        >${t(word)}</a
      >`;
    })}
  </nav>`;
}
