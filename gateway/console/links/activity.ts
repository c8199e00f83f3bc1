import type { ListCheckoutSessionsResponse } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, paymentBadge, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import { optionText } from "../prices/payment-option.ts";
import type { Visit } from "../visit.ts";
import { typeText } from "../webhooks/texts.ts";
import { messagesIn as webhookMessagesIn } from "../webhooks/messages.ts";
import type { Translate } from "./messages.ts";

/** Returns the table of payments with their stored amounts. */
export function paymentsTable(visit: Visit, t: Translate, payments: readonly Payment[]): Html {
  const { format } = visit;
  return table({
    caption: t("payments"),
    columns: [
      { title: t("payment") },
      { title: t("status") },
      { title: t("method") },
      { title: t("gross"), isNumber: true },
      { title: t("fee"), isNumber: true },
      { title: t("net"), isNumber: true },
      { title: t("created") },
    ],
    rows: payments.map((payment) => [
      paymentLink(visit, payment.id),
      paymentBadge(visit, payment.status),
      optionText(visit, payment.paymentMethod, payment.installments ?? 1),
      format.money(payment.grossAmount, payment.grossCurrency),
      format.money(payment.feeAmount, payment.feeCurrency),
      format.money(payment.netAmount, payment.netCurrency),
      time(visit, payment.createdAt),
    ]),
    empty: html`<p>${t("payments_empty")}</p>`,
  });
}

/** Returns the table of the link's sessions and their outcomes. `isActive`: the link can still be opened. */
export function sessionsTable(
  visit: Visit,
  t: Translate,
  { data, hasMore }: ListCheckoutSessionsResponse,
  isActive: boolean,
): Html {
  return html`${table({
    caption: t("sessions"),
    columns: [
      { title: t("opened") },
      { title: t("session_status") },
      { title: t("prices_until") },
      { title: t("options"), isNumber: true },
      { title: t("session_payments") },
    ],
    rows: data.map(({ openedAt, expiresAt, isOpen, optionCount, payments }) => [
      time(visit, openedAt),
      isOpen ? badge("good", t("session_open")) : badge("plain", t("session_closed")),
      time(visit, expiresAt),
      String(optionCount),
      payments.length === 0
        ? "—"
        : html`${payments.map(({ id, status }) => html`${paymentBadge(visit, status)} ${paymentLink(visit, id)}<br />`)}`,
    ]),
    empty: html`<p>${t(isActive ? "sessions_empty" : "sessions_none")}</p>`,
  })}
  ${hasMore ? html`<p class="quiet">${t("sessions_more")}</p>` : ""}`;
}

/** Returns the table of events of the link and its payments. */
export function eventsTable(visit: Visit, t: Translate, events: readonly Event[]): Html {
  return table({
    caption: t("events"),
    columns: [{ title: t("event") }, { title: t("happened") }, { title: t("object") }, { title: t("id") }],
    rows: events.map(({ id, type, created, objectId }) => [
      typeText(webhookMessagesIn(visit.language), type),
      time(visit, created),
      html`<span class="id">${objectId}</span>`,
      html`<span class="id">${id}</span>`,
    ]),
    empty: html`<p>${t("events_empty")}</p>`,
  });
}

function paymentLink(visit: Visit, id: string): Html {
  return html`<a class="id" href="${visit.path(`/payments/${id}`)}">${id}</a>`;
}
