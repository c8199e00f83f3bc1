import type {
  BalanceBridge,
  ExpectedReceivables,
  SettlementDay,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { RefundSum } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { currencySymbol } from "../../../contract/money-text.ts";
import { html, type Html } from "../../pages/html.ts";
import { daysBefore, today } from "../day.ts";
import { consolePage } from "../frame.ts";
import { card } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { refundedText, refundSumsByDay } from "./refund-sums.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";

/** What was settled is shown of so many days. */
const DAYS = 30;

/** Adds the page of the balance: what is to come and on which day, what was settled, and what went back. */
export function balanceRoute(routes: ConsoleRoutes): void {
  routes.page(
    "/payments/balance",
    "payments.read",
    async (visit) => await visit.show(await balancePage(visit)),
  );
}

async function balancePage(visit: Visit): Promise<Html> {
  const { core, as } = visit;
  const t = messagesIn(visit.language);
  const to = today();
  const from = daysBefore(to, DAYS - 1);
  const [{ bridges }, { due, settled }, refunds, { sums: provider, expected }] = await Promise.all([
    core.ledger.getBalanceBridge({}, as),
    core.ledger.listSettlementDays({ from }, as),
    refundSumsByDay(visit, { from, to }),
    core.ledger.summarizeReceivables({ from, to }, as),
  ]);
  const payouts = provider.filter(({ payout }) => payout !== 0n);
  const moneyDays = [...new Set([...settled.map(({ day }) => day), ...refunds.keys()])]
    .toSorted()
    .toReversed();
  return consolePage(visit, {
    title: t("balance"),
    section: "/payments",
    trail: { path: "/payments", title: t("title") },
    content: html`<p class="quiet">${t("balance_help")}</p>
      ${bridges.map((bridge) => bridgeCards(visit, t, bridge))}
      ${expected.length === 0 ? "" : card(t("balance_expected"), monthTable(visit, t, expected))}
      ${card(
        t("balance_due"),
        html`<p class="quiet">${t("balance_due_help")}</p>
          ${dayTable(visit, t, due, "balance_due")}`,
      )}
      ${card(
        t("balance_settled", { days: DAYS }),
        rowTable(t, {
          caption: t("balance_settled", { days: DAYS }),
          rows: moneyDays,
          columns: {
            day: (day) => visit.format.day(day),
            settled: (day) =>
              moneys(
                visit,
                settled.filter((one) => one.day === day),
              ),
            went_back: (day) => wentBack(visit, refunds.get(day)),
          },
          numbers: ["settled", "went_back"],
          empty: html`<p>${t("balance_none")}</p>`,
        }),
      )}
      ${payouts.length === 0 ? "" : card(t("balance_payouts"), payoutTable(visit, t, payouts))}`,
  });
}

/** The lines of the bridge: what is taken off, and whether a line is left out where it is nothing. */
const LINES = [
  { word: "balance_received", name: "received", isTaken: false, isOptional: false },
  { word: "balance_fees", name: "fees", isTaken: true, isOptional: false },
  { word: "balance_tax", name: "tax", isTaken: true, isOptional: true },
  { word: "balance_converted", name: "converted", isTaken: true, isOptional: true },
  { word: "balance_returned", name: "returned", isTaken: true, isOptional: false },
  { word: "balance_net", name: "net", isTaken: false, isOptional: false },
] as const satisfies readonly {
  readonly word: MessageKey;
  readonly name: keyof BalanceBridge;
  readonly isTaken: boolean;
  readonly isOptional: boolean;
}[];

/** Returns how what was received became the net, what of it is to come, and what card providers made of it. */
function bridgeCards(visit: Visit, t: Translate, bridge: BalanceBridge): Html {
  const { currency, pending, available, paidOut, outstanding, providerFees } = bridge;
  const money = (amount: bigint): string => visit.format.money(amount, currency);
  const isAtProviders = paidOut !== 0n || outstanding !== 0n || providerFees !== 0n;
  return html`${card(
    t("balance_bridge", { currency: currencySymbol(currency) }),
    html`${rowTable(t, {
        caption: t("balance_bridge", { currency: currencySymbol(currency) }),
        rows: LINES.filter(({ name, isOptional }) => !isOptional || bridge[name] !== 0n),
        columns: {
          line: ({ word }) => t(word),
          amount: ({ name, isTaken }) =>
            isTaken ? money(-bridge[name]) : html`<strong>${money(bridge[name])}</strong>`,
        },
        numbers: ["amount"],
        empty: html``,
      })}
      <dl class="figures">
        ${figure(t("balance_pending"), money(pending))}
        ${figure(t("balance_available"), money(available), available < 0n ? t(pending > 0n ? "balance_early" : "balance_short", { amount: money(-available) }) : "")}
        ${isAtProviders ? figure(t("paid_out"), money(paidOut), t("balance_paid_out_help")) : ""}
      </dl>`,
  )}
  ${
    isAtProviders
      ? card(
          t("balance_at_providers"),
          html`<p class="quiet">${t("balance_at_providers_help")}</p>
            <dl class="figures">
              ${figure(t("line_outstanding"), money(outstanding))}
              ${figure(t("line_provider_fee"), money(providerFees))}
            </dl>`,
        )
      : ""
  }`;
}

function figure(name: string, amount: string, note = ""): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd class="big">${amount}</dd>
    ${note === "" ? "" : html`<dd class="quiet">${note}</dd>`}
  </div>`;
}

function dayTable(visit: Visit, t: Translate, days: readonly SettlementDay[], caption: "balance_due"): Html {
  return rowTable(t, {
    caption: t(caption),
    rows: days,
    columns: {
      day: ({ day }) => visit.format.day(day),
      count: ({ paymentCount }) => paymentCount.toLocaleString(visit.language),
      net: ({ amount, currency }) => visit.format.money(amount, currency),
    },
    numbers: ["count", "net"],
    empty: html`<p>${t("balance_none")}</p>`,
  });
}

function monthTable(visit: Visit, t: Translate, months: readonly ExpectedReceivables[]): Html {
  const { format, language } = visit;
  return rowTable(t, {
    caption: t("balance_expected"),
    rows: months,
    columns: {
      month: ({ month }) =>
        month === undefined ? t("balance_no_month") : format.month(Temporal.PlainDate.from(`${month}-01`)),
      installment_count: ({ installmentCount }) => installmentCount.toLocaleString(language),
      line_outstanding: ({ amount, currency }) => format.money(amount, currency),
    },
    numbers: ["installment_count", "line_outstanding"],
    empty: html``,
  });
}

type Payout = { readonly day: string; readonly payout: bigint; readonly currency: string };

function payoutTable(visit: Visit, t: Translate, payouts: readonly Payout[]): Html {
  return rowTable(t, {
    caption: t("balance_payouts"),
    rows: payouts,
    columns: {
      day: ({ day }) => visit.format.day(day),
      paid_out: ({ payout, currency }) => visit.format.money(payout, currency),
    },
    numbers: ["paid_out"],
    empty: html``,
  });
}

/** Returns what went back on a day, and what of it was in no payment, so that no line of the bridge has it. */
function wentBack(visit: Visit, sums: readonly RefundSum[] = []): Html | string {
  const all = refundedText(visit, sums);
  const apart = sums.filter(({ isOfExceptions }) => isOfExceptions);
  if (apart.length === 0) return all;
  const note = messagesIn(visit.language)("went_back_apart", { amount: refundedText(visit, apart) });
  return html`${all} <small class="quiet">${note}</small>`;
}

function moneys({ format }: Visit, days: readonly SettlementDay[]): string {
  return days.map(({ amount, currency }) => format.money(amount, currency)).join(" + ") || "—";
}
