import { html } from "hono/html";
import type { ListCheckoutSessionsResponse } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Html } from "../../pages/html.ts";
import { badge, paymentBadge, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import { wayText } from "../prices/way.ts";
import type { Visit } from "../visit.ts";
import { typeText } from "../webhooks/texts.ts";
import { sayIn as sayOfEvents } from "../webhooks/words.ts";
import type { Say } from "./words.ts";

/** Payments, with the stored amounts of each. */
export function paymentsTable(visit: Visit, say: Say, payments: readonly Payment[]): Html {
  const { format } = visit;
  return table({
    caption: say("payments"),
    columns: [
      { title: say("payment") },
      { title: say("status") },
      { title: say("method") },
      { title: say("gross"), isNumber: true },
      { title: say("fee"), isNumber: true },
      { title: say("net"), isNumber: true },
      { title: say("created") },
    ],
    rows: payments.map((payment) => [
      paymentLink(visit, payment.id),
      paymentBadge(visit, payment.status),
      wayText(visit, payment.paymentMethod, payment.installments ?? 1),
      format.money(payment.grossAmount, payment.grossCurrency),
      format.money(payment.feeAmount, payment.feeCurrency),
      format.money(payment.netAmount, payment.netCurrency),
      time(visit, payment.createdAt),
    ]),
    empty: html`<p>${say("payments_empty")}</p>`,
  });
}

/** Who opened the link, and what came of it. `isActive`: it can still be opened. */
export function sessionsTable(
  visit: Visit,
  say: Say,
  { data, hasMore }: ListCheckoutSessionsResponse,
  isActive: boolean,
): Html {
  return html`${table({
    caption: say("sessions"),
    columns: [
      { title: say("opened") },
      { title: say("session_status") },
      { title: say("prices_until") },
      { title: say("options"), isNumber: true },
      { title: say("session_payments") },
    ],
    rows: data.map(({ openedAt, expiresAt, isOpen, optionCount, payments }) => [
      time(visit, openedAt),
      isOpen ? badge("good", say("session_open")) : badge("plain", say("session_closed")),
      time(visit, expiresAt),
      String(optionCount),
      payments.length === 0
        ? "—"
        : html`${payments.map(({ id, status }) => html`${paymentBadge(visit, status)} ${paymentLink(visit, id)}<br />`)}`,
    ]),
    empty: html`<p>${say(isActive ? "sessions_empty" : "sessions_none")}</p>`,
  })}
  ${hasMore ? html`<p class="quiet">${say("sessions_more")}</p>` : ""}`;
}

/** What was told of the link and its payments. */
export function eventsTable(visit: Visit, say: Say, events: readonly Event[]): Html {
  return table({
    caption: say("events"),
    columns: [
      { title: say("event") },
      { title: say("happened") },
      { title: say("object") },
      { title: say("id") },
    ],
    rows: events.map(({ id, type, created, objectId }) => [
      typeText(sayOfEvents(visit.language), type),
      time(visit, created),
      html`<span class="id">${objectId}</span>`,
      html`<span class="id">${id}</span>`,
    ]),
    empty: html`<p>${say("events_empty")}</p>`,
  });
}

function paymentLink(visit: Visit, id: string): Html {
  return html`<a class="id" href="${visit.path(`/payments/${id}`)}">${id}</a>`;
}
