import { PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { hourNow } from "../day.ts";
import { consolePage } from "../frame.ts";
import { badge, card, methodText, paymentBadge, time } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import { refundedText } from "../payments/refund-sums.ts";
import type { Visit } from "../visit.ts";
import { countOf, paid, type Money, type Overview } from "./overview.ts";
import { noticesOf } from "../providers/views.ts";
import { messagesIn, type Translate } from "./messages.ts";

const NOON = 12;
const EVENING = 18;

export function homePage(visit: Visit, overview: Overview): Html {
  const t = messagesIn(visit.language);
  const name = visit.session.user?.name.split(" ")[0] ?? "";
  const hour = hourNow();
  const greeting = hour < NOON ? "morning" : hour < EVENING ? "afternoon" : "evening";
  const isNew = overview.latest.length === 0 && overview.seals.size === 0;
  return consolePage(visit, {
    title: t(greeting, { name }).replace(/, $/, ""),
    section: "",
    actions: visit.can("links.write")
      ? html`<a class="button primary" href="${visit.path("/links/new")}">${t("new_link")}</a>`
      : "",
    content: html`${figures(visit, t, overview)} ${isNew ? beginning(visit, t) : ""}
    ${attention(visit, t, overview)}
    ${isNew ? "" : html`${week(visit, t, overview)} ${latest(visit, t, overview)}`}`,
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
  return html`<h2>${t("today", { day: format.day(today) })}</h2>
    ${ofToday.length === 0 ? html`<p class="quiet">${t("nothing_today")}</p>` : ""}
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

/** Returns the list of things that need attention. Each line links to the page for it. */
function attention(visit: Visit, t: Translate, overview: Overview): Html {
  const { days, today, sums, seals, exceptionCount, failedDeliveryCount, goneEndpoints } = overview;
  const { unknownMoneyCount, disputeCount, deadlineCount, overdueCount } = overview;
  const accounts = visit.can("providers.read") ? visit.accounts : [];
  const toSeal = days.filter((day) => day !== today && sums.has(day) && !seals.has(day)).length;
  const changed = [...seals.values()].filter(({ changedCount }) => changedCount > 0n);
  const line = (isThere: boolean, path: string, text: string): Html | "" =>
    isThere ? html`<li><a href="${visit.path(path)}">${text}</a></li>` : "";
  const lines = [
    line(visit.can("close.seal") && toSeal > 0, "/close", t("days_to_seal", { count: toSeal })),
    ...changed.map(({ seal, changedCount }) =>
      line(
        true,
        `/close/${seal?.day ?? ""}`,
        `${visit.format.day(seal?.day ?? "")}: ${t("changed", { count: String(changedCount) })}`,
      ),
    ),
    line(deadlineCount > 0, "/payments/disputes", t("dispute_deadlines", { count: deadlineCount })),
    line(disputeCount > 0, "/payments/disputes", t("disputes", { count: disputeCount })),
    line(overdueCount > 0, "/payments/overdue", t("overdue", { count: overdueCount })),
    line(exceptionCount > 0, "/payments/exceptions", t("exceptions", { count: exceptionCount })),
    line(
      failedDeliveryCount > 0,
      "/webhooks/deliveries?status=failed",
      t("failed_deliveries", { count: failedDeliveryCount }),
    ),
    ...accounts.flatMap((account) =>
      noticesOf(visit, account).map((text) => line(true, `/providers/${account.id}`, text)),
    ),
    line(unknownMoneyCount > 0, "/providers/unknown", t("unknown_money", { count: unknownMoneyCount })),
    line(goneEndpoints.length > 0, "/webhooks", t("disabled_endpoints", { count: goneEndpoints.length })),
  ].filter((item) => item !== "");
  const content =
    lines.length === 0
      ? html`<p>${t("all_well")}</p>`
      : html`<ul>
          ${lines}
        </ul>`;
  return card(t("attention"), content);
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
  return html`<h2>${t("week")}</h2>
    ${rowTable(t, {
      caption: t("week"),
      rows: days.map((day) => ({ day, same: sums.get(day) ?? [] })),
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
      numbers: ["paid", "gross", "fee", "net", "went_back"],
      empty: html``,
    })}`;
}

function latest(visit: Visit, t: Translate, overview: Overview): Html {
  const { format } = visit;
  return html`<h2>${t("latest")}</h2>
    ${rowTable(t, {
      caption: t("latest"),
      rows: overview.latest,
      columns: {
        payment: ({ id }) => html`<a class="id" href="${visit.path(`/payments/${id}`)}">${id.slice(-8)}</a>`,
        when: ({ createdAt }) => time(visit, createdAt),
        gross: ({ grossAmount, grossCurrency }) => format.money(grossAmount, grossCurrency),
        method: ({ paymentMethod }) => methodText(visit, paymentMethod),
        status: ({ status }) => paymentBadge(visit, status),
        reference: ({ reference }) => reference ?? "—",
      },
      numbers: ["gross"],
      empty: html`<p>${t("first_viewer")}</p>`,
    })}`;
}
