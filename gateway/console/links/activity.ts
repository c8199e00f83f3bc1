import type { ListCheckoutSessionsResponse } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, hasNet, paymentBadge, shortTime } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import { optionText } from "../prices/payment-option.ts";
import type { Visit } from "../visit.ts";
import { typeText } from "../webhooks/texts.ts";
import { messagesIn as webhookMessagesIn } from "../webhooks/messages.ts";
import type { Translate } from "./messages.ts";

/** Returns the table of payments with their stored amounts. */
export function paymentsTable(visit: Visit, t: Translate, payments: readonly Payment[]): Html {
  const { format } = visit;
  return rowTable(t, {
    caption: t("payments"),
    rows: payments,
    columns: {
      payment: ({ id }) => paymentLink(visit, id),
      status: ({ status }) => paymentBadge(visit, status),
      method: ({ paymentMethod, installments = 1 }) => optionText(visit, paymentMethod, installments),
      gross: ({ grossAmount, grossCurrency }) => format.money(grossAmount, grossCurrency),
      fee: ({ status, feeAmount, feeCurrency }) =>
        hasNet(status) ? format.money(feeAmount, feeCurrency) : "—",
      net: ({ status, netAmount, netCurrency }) =>
        hasNet(status) ? format.money(netAmount, netCurrency) : "—",
      created: ({ createdAt }) => shortTime(visit, createdAt),
    },
    numbers: ["gross", "fee", "net"],
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
  return html`${rowTable(t, {
    caption: t("sessions"),
    rows: data,
    columns: {
      opened: ({ openedAt }) => shortTime(visit, openedAt),
      session_status: ({ isOpen }) =>
        isOpen ? badge("good", t("session_open")) : badge("plain", t("session_closed")),
      prices_until: ({ expiresAt }) => shortTime(visit, expiresAt),
      options: ({ optionCount }) => String(optionCount),
      session_payments: ({ payments }) =>
        payments.length === 0
          ? "—"
          : html`${payments.map(({ id, status }) => html`${paymentBadge(visit, status)} ${paymentLink(visit, id)}<br />`)}`,
    },
    numbers: ["options"],
    empty: html`<p>${t(isActive ? "sessions_empty" : "sessions_none")}</p>`,
  })}
  ${hasMore ? html`<p class="quiet">${t("sessions_more")}</p>` : ""}`;
}

/** Returns the table of events of the link and its payments. */
export function eventsTable(visit: Visit, t: Translate, events: readonly Event[]): Html {
  return rowTable(t, {
    caption: t("events"),
    rows: events,
    columns: {
      event: ({ type }) => typeText(webhookMessagesIn(visit.language), type),
      happened: ({ created }) => shortTime(visit, created),
      object: ({ objectId }) => html`<span class="id">${objectId}</span>`,
      id: ({ id }) => html`<span class="id">${id}</span>`,
    },
    empty: html`<p>${t("events_empty")}</p>`,
  });
}

function paymentLink(visit: Visit, id: string): Html {
  return html`<a class="id" href="${visit.path(`/payments/${id}`)}">${id}</a>`;
}
