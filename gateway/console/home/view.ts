import { html } from "hono/html";
import { PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Html } from "../../pages/html.ts";
import { hourNow } from "../day.ts";
import { consolePage } from "../frame.ts";
import { badge, card, methodText, paymentBadge, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { countOf, paid, type Money, type Overview } from "./overview.ts";
import { sayIn, type Say } from "./words.ts";

const NOON = 12;
const EVENING = 18;

export function homePage(visit: Visit, overview: Overview): Html {
  const say = sayIn(visit.language);
  const name = visit.session.user?.name.split(" ")[0] ?? "";
  const hour = hourNow();
  const greeting = hour < NOON ? "morning" : hour < EVENING ? "afternoon" : "evening";
  const isNew = overview.latest.length === 0 && overview.seals.size === 0;
  return consolePage(visit, {
    title: say(greeting, { name }).replace(/, $/, ""),
    section: "",
    actions: visit.can("links.write")
      ? html`<a class="button primary" href="${visit.path("/links/new")}">${say("new_link")}</a>`
      : "",
    content: html`${figures(visit, say, overview)} ${isNew ? beginning(visit, say) : ""}
    ${attention(visit, say, overview)}
    ${isNew ? "" : html`${week(visit, say, overview)} ${latest(visit, say, overview)}`}`,
  });
}

function figures(visit: Visit, say: Say, { today, sums }: Overview): Html {
  const { format } = visit;
  const ofToday = sums.get(today) ?? [];
  const count = countOf(ofToday, PaymentStatus.SUCCEEDED);
  const open = countOf(ofToday, PaymentStatus.PENDING, PaymentStatus.PROCESSING);
  const unpaid = countOf(ofToday, PaymentStatus.FAILED, PaymentStatus.EXPIRED);
  const moneys = (amounts: readonly Money[]): Html | string =>
    amounts.length === 0
      ? "—"
      : html`${amounts.map(({ amount, currency }) => html`<span>${format.money(amount, currency)}</span> `)}`;
  return html`<h2>${say("today", { day: format.day(today) })}</h2>
    ${ofToday.length === 0 ? html`<p class="quiet">${say("nothing_today")}</p>` : ""}
    <dl class="figures">
      ${figure(
        say("gross"),
        moneys(paid(ofToday, "grossAmount")),
        count === 1n ? say("paid_one") : say("paid_count", { count: String(count) }),
      )}
      ${figure(say("fee"), moneys(paid(ofToday, "feeAmount")))}
      ${figure(say("net"), moneys(paid(ofToday, "netAmount")))}
      ${figure(say("open"), String(open), `${say("unpaid")}: ${String(unpaid)}`)}
    </dl>`;
}

function figure(title: string, value: Html | string, under = ""): Html {
  return html`<div>
    <dt>${title}</dt>
    <dd class="big">${value}</dd>
    ${under === "" ? "" : html`<dd class="quiet">${under}</dd>`}
  </div>`;
}

function beginning(visit: Visit, say: Say): Html {
  const text = visit.can("links.write") ? say("first_text") : say("first_viewer");
  return card(say("first_title"), html`<p>${text}</p>`);
}

/** What asks for somebody: each line leads to where it is dealt with. */
function attention(visit: Visit, say: Say, overview: Overview): Html {
  const { days, today, sums, seals, exceptions, failedDeliveryCount, goneEndpoints } = overview;
  const toSeal = days.filter((day) => day !== today && sums.has(day) && !seals.has(day)).length;
  const changed = [...seals.values()].filter(({ changedCount }) => changedCount > 0n);
  const line = (isThere: boolean, path: string, text: string): Html | "" =>
    isThere ? html`<li><a href="${visit.path(path)}">${text}</a></li>` : "";
  const lines = [
    line(visit.can("close.seal") && toSeal > 0, "/close", say("days_to_seal", { count: toSeal })),
    ...changed.map(({ seal, changedCount }) =>
      line(
        true,
        `/close/${seal?.day ?? ""}`,
        `${visit.format.day(seal?.day ?? "")}: ${say("changed", { count: String(changedCount) })}`,
      ),
    ),
    line(
      exceptions.length > 0,
      `/payments/${exceptions[0]?.paymentId ?? ""}`,
      say("exceptions", { count: exceptions.length }),
    ),
    line(
      failedDeliveryCount > 0,
      "/webhooks/deliveries?status=failed",
      say("failed_deliveries", { count: failedDeliveryCount }),
    ),
    line(goneEndpoints.length > 0, "/webhooks", say("disabled_endpoints", { count: goneEndpoints.length })),
  ].filter((item) => item !== "");
  const content =
    lines.length === 0
      ? html`<p>${say("all_well")}</p>`
      : html`<ul>
          ${lines}
        </ul>`;
  return card(say("attention"), content);
}

function week(visit: Visit, say: Say, { days, today, sums, seals }: Overview): Html {
  const { format } = visit;
  const moneys = (amounts: readonly Money[]): string =>
    amounts.length === 0
      ? "—"
      : amounts.map(({ amount, currency }) => format.money(amount, currency)).join(" + ");
  const state = (day: string): Html | string => {
    const listed = seals.get(day);
    if (day === today) return badge("plain", say("running"));
    if (!listed) return sums.has(day) ? badge("warn", say("to_seal")) : "—";
    return listed.changedCount === 0n
      ? badge("good", say("sealed"))
      : badge("bad", say("changed", { count: String(listed.changedCount) }));
  };
  return html`<h2>${say("week")}</h2>
    ${table({
      caption: say("week"),
      columns: [
        { title: say("day") },
        { title: say("paid"), isNumber: true },
        { title: say("gross"), isNumber: true },
        { title: say("fee"), isNumber: true },
        { title: say("net"), isNumber: true },
        { title: say("state") },
      ],
      rows: days.map((day) => {
        const same = sums.get(day) ?? [];
        return [
          html`<a href="${visit.path(`/payments?from=${day}&to=${day}`)}">${format.day(day)}</a>`,
          String(countOf(same, PaymentStatus.SUCCEEDED)),
          moneys(paid(same, "grossAmount")),
          moneys(paid(same, "feeAmount")),
          moneys(paid(same, "netAmount")),
          state(day),
        ];
      }),
      empty: html``,
    })}`;
}

function latest(visit: Visit, say: Say, overview: Overview): Html {
  const { format } = visit;
  return html`<h2>${say("latest")}</h2>
    ${table({
      caption: say("latest"),
      columns: [
        { title: say("payment") },
        { title: say("when") },
        { title: say("gross"), isNumber: true },
        { title: say("method") },
        { title: say("status") },
        { title: say("reference") },
      ],
      rows: overview.latest.map((payment) => [
        html`<a class="id" href="${visit.path(`/payments/${payment.id}`)}">${payment.id.slice(-8)}</a>`,
        time(visit, payment.createdAt),
        format.money(payment.grossAmount, payment.grossCurrency),
        methodText(visit, payment.paymentMethod),
        paymentBadge(visit, payment.status),
        payment.reference ?? "—",
      ]),
      empty: html`<p>${say("first_viewer")}</p>`,
    })}`;
}
