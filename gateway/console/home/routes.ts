import type { ConsoleRoutes } from "../routes.ts";
import { PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { hourNow } from "../day.ts";
import { consolePage } from "../frame.ts";
import { badge, card, cut, foldedCard, shortMethodText, time } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import { CHARGE_PATH } from "../links/charge.ts";
import { paymentLink } from "../payments/names.ts";
import { stateBadge, stateOf } from "../payments/state.ts";
import { refundedText } from "../payments/refund-sums.ts";
import type { Visit } from "../visit.ts";
import { firstSteps, stepsCard } from "./first-steps.ts";
import { endpointCard, performance, performanceOf, PERIODS } from "./performance.ts";
import { countOf, overviewOf, paid, type Money, type Overview } from "./overview.ts";
import { messagesIn, type Translate } from "./messages.ts";
import { needMessagesIn } from "../../../contract/need-messages.ts";
import { needsOf as needsOfAll, type Need } from "../../../contract/needs.ts";
import { accountNotice } from "../providers/views.ts";
import { summaryText } from "../reconciliation/words.ts";
import { shortUrl } from "../webhooks/delivery-list.ts";

const NOON = 12;
const EVENING = 18;

/** Adds the first page: the overview of the last days. */
export function homeRoom(routes: ConsoleRoutes): void {
  routes.page("", "payments.read", async (visit) => await visit.show(await homePage(visit)));
}

/** Returns the first page: what needs a person, before the figures of today and of the last days. */
async function homePage(visit: Visit): Promise<Html> {
  const dayCount = PERIODS.find((count) => String(count) === visit.query["days"]) ?? PERIODS[0];
  const overview = await overviewOf(visit, dayCount);
  const [needs, steps, found] = await Promise.all([
    needsOf(visit, overview),
    firstSteps(visit),
    performanceOf(visit, overview),
  ]);
  const t = messagesIn(visit.language);
  const name = visit.session.user?.name.split(" ")[0] ?? "";
  const hour = hourNow();
  const greeting = hour < NOON ? "morning" : hour < EVENING ? "afternoon" : "evening";
  const isNew = overview.latest.length === 0 && overview.seals.size === 0;
  return consolePage(visit, {
    title: t(greeting, { name }).replace(/, $/, ""),
    section: "",
    actions: visit.can("links.write")
      ? html`<a class="button wide-only" href="${visit.path("/links/new")}">${t("new_link")}</a>
          <a class="button primary" href="${visit.path(CHARGE_PATH)}">${t("charge")}</a>`
      : "",
    content: html`${attention(visit, needs)} ${stepsCard(visit, steps)} ${figures(visit, t, overview)}
    ${
      isNew
        ? beginning(visit, t)
        : html`<h2>${t("last_days", { count: dayCount })}</h2>
            ${performance(visit, overview, found)} ${week(visit, t, overview)} ${latest(visit, t, overview)}`
    }
    ${endpointCard(visit, found)}`,
  });
}

function figures(visit: Visit, t: Translate, { today, sums }: Overview): Html {
  const { format } = visit;
  const ofToday = sums.get(today) ?? [];
  const count = countOf(ofToday, PaymentStatus.SUCCEEDED);
  const open = countOf(ofToday, PaymentStatus.PENDING, PaymentStatus.PROCESSING);
  const unpaid = countOf(ofToday, PaymentStatus.FAILED, PaymentStatus.EXPIRED);
  const moneys = (amounts: readonly Money[]): Html | string =>
    amounts.length === 0
      ? "—"
      : html`${amounts.map(({ amount, currency }) => html`<span>${format.money(amount, currency)}</span> `)}`;
  const title = html`<h2>${t("today", { day: format.day(today) })}</h2>`;
  if (ofToday.length === 0)
    return html`${title}
      <p class="quiet">${t("nothing_today")}</p>`;
  return html`${title}
    <dl class="figures">
      ${figure(
        t("gross"),
        moneys(paid(ofToday, "grossAmount")),
        count === 1n ? t("paid_one") : t("paid_count", { count: String(count) }),
      )}
      ${figure(t("fee"), moneys(paid(ofToday, "feeAmount")))}
      ${figure(t("net"), moneys(paid(ofToday, "netAmount")))}
      ${figure(t("open"), String(open), `${t("unpaid")}: ${String(unpaid)}`)}
    </dl>`;
}

function figure(title: string, value: Html | string, under = ""): Html {
  return html`<div>
    <dt>${title}</dt>
    <dd class="big">${value}</dd>
    ${under === "" ? "" : html`<dd class="quiet">${under}</dd>`}
  </div>`;
}

function beginning(visit: Visit, t: Translate): Html {
  const text = visit.can("links.write") ? t("first_text") : t("first_viewer");
  return card(t("first_title"), html`<p>${text}</p>`);
}

function week(visit: Visit, t: Translate, { days, today, sums, seals, refunds }: Overview): Html {
  const { format } = visit;
  const moneys = (amounts: readonly Money[]): string =>
    amounts.length === 0
      ? "—"
      : amounts.map(({ amount, currency }) => format.money(amount, currency)).join(" + ");
  const state = (day: string): Html | string => {
    const listed = seals.get(day);
    if (day === today) return badge("plain", t("running"));
    if (!listed) return sums.has(day) ? badge("warn", t("to_seal")) : "—";
    return listed.changedCount === 0n
      ? badge("good", t("sealed"))
      : badge("bad", t("changed", { count: String(listed.changedCount) }));
  };
  // A day on which nothing was paid, went back or changed says nothing: the chart has it.
  const hasNews = (day: string): boolean =>
    day === today || sums.has(day) || refunds.has(day) || (seals.get(day)?.changedCount ?? 0n) > 0n;
  const table = rowTable(t, {
    caption: t("week", { count: days.length }),
    rows: days.filter(hasNews).map((day) => ({ day, same: sums.get(day) ?? [] })),
    columns: {
      day: ({ day }) =>
        html`<a href="${visit.path(`/payments?from=${day}&to=${day}`)}">${format.day(day)}</a>`,
      paid: ({ same }) => String(countOf(same, PaymentStatus.SUCCEEDED)),
      gross: ({ same }) => moneys(paid(same, "grossAmount")),
      fee: ({ same }) => moneys(paid(same, "feeAmount")),
      net: ({ same }) => moneys(paid(same, "netAmount")),
      went_back: ({ day }) => refundedText(visit, refunds.get(day)),
      state: ({ day }) => state(day),
    },
    numbers: ["gross", "paid", "fee", "net", "went_back"],
    pocket: ["paid", "state"],
    empty: html``,
  });
  return foldedCard(t("week", { count: days.length }), table);
}

function latest(visit: Visit, t: Translate, overview: Overview): Html {
  const { format } = visit;
  return html`<h2>${t("latest")}</h2>
    ${rowTable(t, {
      caption: t("latest"),
      isOfLines: true,
      rows: overview.latest,
      columns: {
        payment: ({ id }) => paymentLink(visit, id, overview.names.get(id) ?? ""),
        when: ({ createdAt }) => time(visit, createdAt),
        gross: ({ grossAmount, grossCurrency }) => format.money(grossAmount, grossCurrency),
        method: ({ paymentMethod }) => shortMethodText(visit, paymentMethod),
        status: (payment) => stateBadge(visit, stateOf(payment)),
        reference: ({ reference }) => cut(reference ?? "—", "reference"),
      },
      numbers: ["gross"],
      pocket: ["when", "method", "status"],
      empty: html`<p>${t("first_viewer")}</p>`,
    })}`;
}

/** Returns everything that needs a person of this environment, what is urgent first. */
async function needsOf(visit: Visit, { seals }: Overview): Promise<Need[]> {
  const { core, as, mode, accounts } = visit;
  const can = visit.can.bind(visit);
  return await needsOfAll({ core, as, mode, accounts, can, seals: seals.values(), nowMs: Date.now() });
}

/** Returns the list of what needs a person. Each line links to the page for it. */
function attention(visit: Visit, needs: readonly Need[]): Html {
  const t = messagesIn(visit.language);
  const lines = needs.map(
    (need) =>
      html`<li>
        ${need.isUrgent ? badge("bad", t("urgent")) : ""}
        <a href="${visit.path(need.path)}">${textOf(visit, need)}</a>
      </li>`,
  );
  return card(
    t("attention"),
    lines.length === 0
      ? html`<p>${t("all_well")}</p>`
      : html`<ul class="bare needs">
          ${lines}
        </ul>`,
  );
}

function textOf(visit: Visit, need: Need): string {
  const { key, account, endpoint, difference, count = 0, day = "" } = need;
  if (account) return accountNotice(visit, account, need);
  const t = needMessagesIn(visit.language);
  if (difference) return t(key, { difference: summaryText(visit, difference) });
  if (!endpoint) return t(key, { count, day: day && visit.format.day(day) });
  const number = (value: bigint): string => value.toLocaleString(visit.language);
  const values = { failed: number(endpoint.failed), count: number(endpoint.attempts) };
  return t(key, { url: shortUrl(endpoint.url), ...values });
}
