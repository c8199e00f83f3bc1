import { PaymentLinkStatus, type PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { methodWord, optionText } from "../prices/payment-option.ts";
import { dayOf, today } from "../day.ts";
import { consolePage } from "../frame.ts";
import { buttonForm, postForm, selectField } from "../parts/form.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, card, hasNet, methodText, paymentBadge, time } from "../parts/show.ts";
import { withQuery, rowTable } from "../parts/table.ts";
import { NO_PROBLEMS } from "../problems.ts";
import { stateBadge, stateOf } from "../payments/state.ts";
import type { Visit } from "../visit.ts";
import { linkBadge, linkName, openPage } from "./show.ts";
import { aboutFacts, metadataTable, productFacts, valueFacts } from "./facts.ts";
import { isChangeable } from "./edit-form.ts";
import type { LinkFacts } from "./link-facts.ts";
import { funnel } from "../home/performance.ts";
import { messagesIn as homeMessagesIn } from "../home/messages.ts";
import { sharePart } from "./share.ts";
import { unpayableNote } from "./unpayable.ts";
import { messagesIn, type Translate, type MessageKey } from "./messages.ts";
import type { ListCheckoutSessionsResponse } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { typeText } from "../webhooks/texts.ts";
import { messagesIn as webhookMessagesIn } from "../webhooks/messages.ts";

const DONE: Readonly<Record<string, MessageKey>> = {
  made: "made",
  changed: "changed_now",
  cancel: "canceled_now",
  reactivate: "reactivated_now",
  simulated: "simulated_now",
};

/** Returns the page of one link. */
export function detailPage(visit: Visit, facts: LinkFacts): Html {
  const t = messagesIn(visit.language);
  const { link, details, sessions, payments, hasMorePayments, events, visits, sums } = facts;
  const isOpen = link.status === PaymentLinkStatus.ACTIVE;
  return consolePage(visit, {
    title: linkName(t, link),
    section: "/links",
    trail: { path: "/links", title: t("title") },
    actions: html`${isOpen ? openPage(t, link, "primary") : ""}
    ${visit.can("links.write") ? linkActions(visit, t, link) : ""}`,
    content: html`${doneNotice(visit, t, DONE)} ${isOpen ? unpayableNote(visit, link) : ""}
      <p class="status">
        ${linkBadge(t, link.status)} ${details?.isCampaign ? badge("plain", t("campaign")) : ""}
        <span class="big">${visit.format.money(link.amount, link.currency)}</span>
      </p>
      <div class="cards">
        ${isOpen ? card(t("share"), sharePart(visit, t, link)) : ""}
        <div>
          ${card(t("values"), valueFacts(visit, t, link))}
          ${card(t("about"), aboutFacts(visit, t, link, details))}
        </div>
        <div>
          ${card(t("product"), productFacts(visit, t, link))}
          ${card(homeMessagesIn(visit.language)("funnel"), funnel(visit, sums, visits))}
        </div>
        ${link.metadata && Object.keys(link.metadata).length > 0 ? card(t("metadata"), metadataTable(t, link.metadata)) : ""}
      </div>
      <h2>${t("payments")}</h2>
      ${paymentsTable(visit, t, payments)}
      ${hasMorePayments ? html`<p><a href="${allPayments(visit, link)}">${t("payments_more")}</a></p>` : ""}
      ${sessions.data.length === 0 && payments.length > 0 ? "" : sessionsPart(visit, t, sessions, isOpen)}
      <h2>${t("events")}</h2>
      ${eventsTable(visit, t, events)} ${isOpen && visit.can("links.write") ? changes(visit, t, link) : ""}`,
  });
}

/** Returns the address of all payments of a link, from the day of its creation on. */
function allPayments(visit: Visit, { id, created }: PaymentLink): string {
  const from = dayOf(Number(created?.seconds ?? 0));
  return withQuery(visit.path("/payments"), { link: id, from, to: today() });
}

function linkActions(visit: Visit, t: Translate, link: PaymentLink): Html {
  const path = visit.path(`/links/${link.id}`);
  return html`${isChangeable(link) ? html`<a class="button" href="${path}/edit">${t("edit")}</a>` : ""}
    <a class="button" href="${withQuery(visit.path("/links/new"), { copy: link.id })}">${t("duplicate")}</a>
    ${link.status === PaymentLinkStatus.CANCELED ? buttonForm(visit, `${path}/reactivate`, t("reactivate")) : ""}`;
}

function changes(visit: Visit, t: Translate, link: PaymentLink): Html {
  const path = visit.path(`/links/${link.id}`);
  return html`<div class="cards">
    ${visit.mode === "test" ? card(t("simulate_title"), simulatePart(visit, t, path, link)) : ""}
    ${card(
      t("cancel_title"),
      html`<p>${t("cancel_text")}</p>
        ${buttonForm(visit, `${path}/cancel`, t("cancel"), { kind: "danger", question: t("cancel_question") })}`,
    )}
  </div>`;
}

function simulatePart(visit: Visit, t: Translate, path: string, { paymentMethods }: PaymentLink): Html {
  return html`<p>${t("simulate_text")}</p>
    ${postForm(
      visit,
      `${path}/simulate`,
      html`<div class="pair">
          ${selectField({
            name: "outcome",
            label: t("outcome"),
            options: [
              ["succeeded", t("outcome_succeeded")],
              ["failed", t("outcome_failed")],
              ["expired", t("outcome_expired")],
            ],
            problems: NO_PROBLEMS,
          })}
          ${selectField({
            name: "payment_method",
            label: t("method"),
            options: paymentMethods.map((method) => [methodWord(method), methodText(visit, method)]),
            problems: NO_PROBLEMS,
          })}
        </div>
        <button>${t("simulate")}</button>`,
    )}`;
}

/** Returns the table of payments with their stored amounts. */
function paymentsTable(visit: Visit, t: Translate, payments: readonly Payment[]): Html {
  const { format } = visit;
  return rowTable(t, {
    caption: t("payments"),
    rows: payments,
    columns: {
      payment: ({ id }) => paymentLink(visit, id),
      status: (payment) => stateBadge(visit, stateOf(payment)),
      method: ({ paymentMethod, installments = 1 }) => optionText(visit, paymentMethod, installments),
      gross: ({ grossAmount, grossCurrency }) => format.money(grossAmount, grossCurrency),
      fee: ({ status, feeAmount, feeCurrency }) =>
        hasNet(status) ? format.money(feeAmount, feeCurrency) : "—",
      net: ({ status, netAmount, netCurrency }) =>
        hasNet(status) ? format.money(netAmount, netCurrency) : "—",
      created: ({ createdAt }) => time(visit, createdAt),
    },
    numbers: ["gross", "fee", "net"],
    empty: html`<p>${t("payments_empty")}</p>`,
  });
}

/** Returns the link's sessions and their outcomes. `isActive`: the link can still be opened. */
function sessionsPart(
  visit: Visit,
  t: Translate,
  { data, hasMore }: ListCheckoutSessionsResponse,
  isActive: boolean,
): Html {
  return html`<h2>${t("sessions")}</h2>
    <p class="quiet">${t("sessions_help")}</p>
    ${rowTable(t, {
      caption: t("sessions"),
      rows: data,
      columns: {
        opened: ({ openedAt }) => time(visit, openedAt),
        session_status: ({ isOpen }) =>
          isOpen ? badge("good", t("session_open")) : badge("plain", t("session_closed")),
        prices_until: ({ expiresAt }) => time(visit, expiresAt),
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
function eventsTable(visit: Visit, t: Translate, events: readonly Event[]): Html {
  return rowTable(t, {
    caption: t("events"),
    rows: events,
    columns: {
      event: ({ type }) => typeText(webhookMessagesIn(visit.language), type),
      happened: ({ created }) => time(visit, created),
      object: ({ objectId }) => html`<span class="id">${objectId}</span>`,
      id: ({ id }) => html`<span class="id">${id}</span>`,
    },
    empty: html`<p>${t("events_empty")}</p>`,
  });
}

function paymentLink(visit: Visit, id: string): Html {
  return html`<a class="id" href="${visit.path(`/payments/${id}`)}">${id}</a>`;
}
