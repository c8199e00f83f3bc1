import type { SettlementDay } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { daysBefore, today } from "../day.ts";
import { consolePage } from "../frame.ts";
import { card } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { dayText } from "./bridge.ts";
import { refundedText, refundSumsByDay } from "./refund-sums.ts";
import { messagesIn, type Translate } from "./messages.ts";

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
  const { core, as, format } = visit;
  const t = messagesIn(visit.language);
  const to = today();
  const from = daysBefore(to, DAYS - 1);
  const [{ balances }, { due, settled }, refunds, { sums: provider }] = await Promise.all([
    core.ledger.getBalance({}, as),
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
      <dl class="figures">
        ${balances.map(
          ({ currency, pending, available }) =>
            html`<div>
                <dt>${t("balance_pending")}</dt>
                <dd class="big">${format.money(pending, currency)}</dd>
              </div>
              <div>
                <dt>${t("balance_available")}</dt>
                <dd class="big">${format.money(available, currency)}</dd>
              </div>`,
        )}
      </dl>
      ${card(t("balance_due"), dayTable(visit, t, due, "balance_due"))}
      ${card(
        t("balance_settled", { days: DAYS }),
        rowTable(t, {
          caption: t("balance_settled", { days: DAYS }),
          rows: moneyDays,
          columns: {
            day: (day) => dayText(visit, day),
            settled: (day) =>
              moneys(
                visit,
                settled.filter((one) => one.day === day),
              ),
            went_back: (day) => refundedText(visit, refunds.get(day)),
          },
          numbers: ["settled", "went_back"],
          empty: html`<p>${t("balance_none")}</p>`,
        }),
      )}
      ${payouts.length === 0 ? "" : card(t("balance_payouts"), payoutTable(visit, t, payouts))}`,
  });
}

function dayTable(visit: Visit, t: Translate, days: readonly SettlementDay[], caption: "balance_due"): Html {
  return rowTable(t, {
    caption: t(caption),
    rows: days,
    columns: {
      day: ({ day }) => dayText(visit, day),
      count: ({ paymentCount }) => paymentCount.toLocaleString(visit.language),
      net: ({ amount, currency }) => visit.format.money(amount, currency),
    },
    numbers: ["count", "net"],
    empty: html`<p>${t("balance_none")}</p>`,
  });
}

type Payout = { readonly day: string; readonly payout: bigint; readonly currency: string };

function payoutTable(visit: Visit, t: Translate, payouts: readonly Payout[]): Html {
  return rowTable(t, {
    caption: t("balance_payouts"),
    rows: payouts,
    columns: {
      day: ({ day }) => dayText(visit, day),
      paid_out: ({ payout, currency }) => visit.format.money(payout, currency),
    },
    numbers: ["paid_out"],
    empty: html``,
  });
}

function moneys({ format }: Visit, days: readonly SettlementDay[]): string {
  return days.map(({ amount, currency }) => format.money(amount, currency)).join(" + ") || "—";
}
