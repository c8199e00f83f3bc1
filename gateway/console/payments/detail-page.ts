import { DeclineCode, type Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import { DECLINE_MESSAGES } from "../../pages/decline-messages.ts";
import { messages } from "../../pages/messages.ts";
import { consolePage } from "../frame.ts";
import { CHECKED, checkButton } from "./check.ts";
import { Refused } from "../refused.ts";
import { card, copyable, facts, feeHandlingText, methodText, time } from "../parts/show.ts";
import { doneNotice } from "../parts/done.ts";
import type { Visit } from "../visit.ts";
import { bridgeCard, settlementCard } from "./bridge.ts";
import { entriesCard } from "./entries.ts";
import { eventsCard } from "./events.ts";
import { disputes, exceptions } from "./exceptions-and-disputes.ts";
import { payerCard } from "./payer.ts";
import { receivablesCard } from "./receivables.ts";
import { refundsCard, refundsOf } from "./refund-list.ts";
import { refundLink } from "./refunds.ts";
import { messagesIn } from "./messages.ts";
import { payerNames, paymentName } from "./names.ts";
import { stateBadge, stateOf } from "./state.ts";
import { timelineCard } from "./timeline.ts";

const declineCodes = wordsOf(DeclineCode);
const declineMessagesIn = messages(DECLINE_MESSAGES);

/** Returns the page of one payment. An id of another tenant or mode is unknown. */
export async function detailPage(visit: Visit): Promise<Html> {
  const t = messagesIn(visit.language);
  const { core, as } = visit;
  const paymentId = visit.part("id");
  const bridge = await core.ledger.getPaymentBridge({ paymentId }, as);
  const { payment } = bridge;
  if (!payment) throw new Refused("unknown", visit);
  const [{ entries }, events, refunds, apart, payer, { receivables }, contests, payers] = await Promise.all([
    core.ledger.listLedgerEntries({ paymentId }, as),
    eventsCard(visit, paymentId),
    refundsOf(visit, payment),
    exceptions.of(visit, paymentId),
    payerCard(visit, paymentId),
    core.ledger.listReceivables({ paymentId }, as),
    disputes.of(visit, paymentId),
    payerNames(visit, [payment]),
  ]);
  const gross = visit.format.money(payment.grossAmount, payment.grossCurrency);
  const state = stateBadge(visit, stateOf(payment));
  return consolePage(visit, {
    title: paymentName(bridge.details, payers.get(paymentId)) || gross,
    section: "/payments",
    trail: { path: "/payments", title: t("title") },
    actions: html`${checkButton(visit, payment)} ${refundLink(visit, payment)}`,
    content: html`${doneNotice(visit, t, { refunded: "refund_made", erased: "payer_erased_now", ...CHECKED })}
      <p class="status">
        ${state} <span class="big">${gross}</span> <small class="id quiet">${paymentId}</small>
      </p>
      <div class="cards">
        <div>${timelineCard(visit, bridge, { payment, refunds, apart, receivables })}</div>
        <div>${settlementCard(visit, bridge, receivables)}</div>
      </div>
      ${bridgeCard(visit, bridge)}
      <div class="cards">
        <div>${factsCard(visit, payment)}</div>
        <div>${metadataCard(visit, payment)} ${payer}</div>
      </div>
      ${disputes.card(visit, contests)} ${receivablesCard(visit, bridge, receivables)}
      ${exceptions.card(visit, apart)} ${refundsCard(visit, refunds)} ${events} ${entriesCard(visit, entries)}`,
  });
}

function factsCard(visit: Visit, payment: Payment): Html {
  const t = messagesIn(visit.language);
  const { linkId, installments, failureCode, refundedAmount } = payment;
  const link =
    linkId === undefined
      ? visit.t("none")
      : html`<a class="id" href="${visit.path(`/links/${linkId}`)}">${linkId}</a>`;
  return card(
    t("facts"),
    html`${copyable(visit, "payment-id", payment.id, t("id"))}
    ${facts([
      [t("status"), stateBadge(visit, stateOf(payment))],
      ...(failureCode === undefined ? [] : ([[t("failure"), failureText(visit, failureCode)]] as const)),
      ...(refundedAmount === undefined
        ? []
        : ([[t("refunded_amount"), visit.format.money(refundedAmount, payment.grossCurrency)]] as const)),
      [t("reference"), html`<bdi>${payment.reference ?? t("no_reference")}</bdi>`],
      [t("created"), time(visit, payment.createdAt)],
      [t("updated"), time(visit, payment.updatedAt)],
      [t("method"), methodText(visit, payment.paymentMethod)],
      ...(installments === undefined ? [] : ([[t("installments"), String(installments)]] as const)),
      [t("fees_by"), feeHandlingText(visit, payment.feeHandling)],
      [t("link"), link],
    ])}`,
  );
}

/** Returns why a payment did not come about, with the API's code of it. */
function failureText({ language }: Visit, failureCode: DeclineCode): Html {
  const code = declineCodes.knownWordOf(failureCode);
  return html`${declineMessagesIn(language)(code)} <small class="quiet"><code>${code}</code></small>`;
}

function metadataCard(visit: Visit, { metadata = {} }: Payment): Html {
  const t = messagesIn(visit.language);
  const pairs = Object.entries(metadata).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [key, html`<bdi>${text}</bdi>`] as const;
  });
  return card(
    t("metadata"),
    pairs.length === 0 ? html`<p class="quiet">${t("no_metadata")}</p>` : facts(pairs),
  );
}
