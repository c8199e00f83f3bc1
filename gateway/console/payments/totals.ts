import {
  PaymentState,
  PaymentStatus,
  type PaymentSum,
  type SummarizePaymentsResponse,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, hasNet, methodText, paymentBadge } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Guest } from "../visit.ts";
import { messagesIn } from "./messages.ts";
import { stateBadge } from "./state.ts";

/** Returns what was paid in large figures: one pair for each pair of currencies. */
function paidFigures(guest: Guest, paid: readonly PaymentSum[]): Html | "" {
  const t = messagesIn(guest.language);
  if (paid.length === 0) return "";
  return html`<dl class="figures">
    ${paid.map((sum) => [
      figure(
        t("paid_gross"),
        guest.format.money(sum.grossAmount, sum.grossCurrency),
        [foundText(guest, sum.paymentCount), ...refundedNote(guest, sum)].join(" · "),
      ),
      figure(
        t("paid_net"),
        guest.format.money(sum.netAmount, sum.netCurrency),
        `${t("fee")}: ${guest.format.money(sum.feeAmount, sum.feeCurrency)}`,
      ),
    ])}
  </dl>`;
}

function refundedNote(guest: Guest, { refundedAmount = 0n, grossCurrency }: PaymentSum): string[] {
  if (refundedAmount === 0n) return [];
  const amount = guest.format.money(refundedAmount, grossCurrency);
  return [messagesIn(guest.language)("refunded_of", { amount })];
}

/** Returns sums by state, or by status where a seal has no more, and by currencies. A folded table also separates them by method. */
export function sumsWithMethods(
  guest: Guest,
  totals: readonly PaymentSum[],
  sums: readonly PaymentSum[],
  caption: string,
): Html {
  const byMethod = messagesIn(guest.language)("by_method");
  return html`${sumTable(guest, totals, caption)}
    <details>
      <summary>${byMethod}</summary>
      ${sumTable(guest, sums, `${caption}: ${byMethod}`)}
    </details>`;
}

function sumTable(guest: Guest, sums: readonly PaymentSum[], caption: string): Html {
  const t = messagesIn(guest.language);
  const { format } = guest;
  return rowTable(t, {
    caption,
    rows: sums.toSorted(
      (a, b) => a.state - b.state || a.status - b.status || a.paymentMethod - b.paymentMethod,
    ),
    columns: {
      status: ({ status, state }) =>
        state === PaymentState.UNSPECIFIED ? statusBadge(guest, status) : stateBadge(guest, state),
      method: ({ paymentMethod }) =>
        paymentMethod === PaymentMethod.UNSPECIFIED
          ? guest.t("all")
          : html`<span class="nowrap">${methodText(guest, paymentMethod)}</span>`,
      count: ({ paymentCount }) => paymentCount.toLocaleString(guest.language),
      gross: ({ grossAmount, grossCurrency }) => format.money(grossAmount, grossCurrency),
      fee: ({ status, feeAmount, feeCurrency }) =>
        hasNet(status) ? format.money(feeAmount, feeCurrency) : "—",
      net: ({ status, netAmount, netCurrency }) =>
        hasNet(status) ? format.money(netAmount, netCurrency) : "—",
      ...(sums.some(({ refundedAmount = 0n }) => refundedAmount !== 0n)
        ? {
            refunded: ({ refundedAmount = 0n, grossCurrency }: PaymentSum) =>
              refundedAmount === 0n ? "—" : format.money(refundedAmount, grossCurrency),
          }
        : {}),
    },
    numbers: ["count", "gross", "fee", "net", "refunded"],
    empty: html`<p>${t("found_none")}</p>`,
  });
}

/** Returns a status as what it counts: one that was paid, whatever went back of it. */
function statusBadge(guest: Guest, status: PaymentStatus): Html {
  return status === PaymentStatus.SUCCEEDED
    ? badge("good", messagesIn(guest.language)("received"))
    : paymentBadge(guest, status);
}

/** Returns the totals above a list, with a note that they cover all its pages, or "" without payments. */
export function totalsCard(guest: Guest, { sums, totals, paid }: SummarizePaymentsResponse): Html | "" {
  if (sums.length === 0) return "";
  const t = messagesIn(guest.language);
  return html`${paidFigures(guest, paid)}
    <details class="card">
      <summary>${t("totals")}</summary>
      <p class="quiet">${t("totals_help")}</p>
      ${sumsWithMethods(guest, totals, sums, t("totals"))}
    </details>`;
}

function figure(name: string, amount: string, note: string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd class="big">${amount}</dd>
    <dd class="quiet">${note}</dd>
  </div>`;
}

/** Returns how many payments were found. */
export function foundText(guest: Guest, count: bigint): string {
  const t = messagesIn(guest.language);
  if (count < 2n) return t(count === 0n ? "found_none" : "found_one");
  return t("found_many", { count: count.toLocaleString(guest.language) });
}
