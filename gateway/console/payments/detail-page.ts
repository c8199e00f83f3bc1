import { DeclineCodeSchema, type Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { enumWords } from "../../../contract/enum-words.ts";
import { consolePage } from "../frame.ts";
import { CHECKED, checkButton } from "./check.ts";
import { Refused } from "../refused.ts";
import { card, copyable, facts, feeHandlingText, methodText, paymentBadge, time } from "../parts/show.ts";
import { doneNotice } from "../parts/done.ts";
import type { Visit } from "../visit.ts";
import { bridgeCard, settlementCard } from "./bridge.ts";
import { entriesCard, timeline } from "./timeline.ts";
import { disputes, exceptions } from "./exceptions-and-disputes.ts";
import { payerCard } from "./payer.ts";
import { receivablesCard } from "./receivables.ts";
import { refundLink, refundsCard } from "./refunds.ts";
import { messagesIn } from "./messages.ts";

/** Returns the page of one payment. An id of another tenant or mode is unknown. */
export async function detailPage(visit: Visit): Promise<Html> {
  const t = messagesIn(visit.language);
  const { core, as } = visit;
  const paymentId = visit.part("id");
  const bridge = await core.ledger.getPaymentBridge({ paymentId }, as);
  const { payment } = bridge;
  if (!payment) throw new Refused("unknown", visit);
  const [{ entries }, events, refunds, exceptionsCard, payer, { receivables }, disputesCard] =
    await Promise.all([
      core.ledger.listLedgerEntries({ paymentId }, as),
      timeline(visit, paymentId),
      refundsCard(visit, payment),
      exceptions.card(visit, paymentId),
      payerCard(visit, paymentId),
      core.ledger.listReceivables({ paymentId }, as),
      disputes.card(visit, paymentId),
    ]);
  return consolePage(visit, {
    title: visit.format.money(payment.grossAmount, payment.grossCurrency),
    section: "/payments",
    trail: { path: "/payments", title: t("title") },
    actions: html`${paymentBadge(visit, payment.status)} ${checkButton(visit, payment)}
    ${refundLink(visit, payment)}`,
    content: html`${doneNotice(visit, t, { refunded: "refund_made", erased: "payer_erased_now", ...CHECKED })}
      ${bridgeCard(visit, bridge)}
      <div class="cards">
        <div>${factsCard(visit, payment)}</div>
        <div>${settlementCard(visit, bridge)} ${metadataCard(visit, payment)} ${payer}</div>
      </div>
      ${disputesCard} ${receivablesCard(visit, bridge, receivables)} ${exceptionsCard} ${refunds} ${events}
      ${entriesCard(visit, entries)}`,
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
      [t("status"), paymentBadge(visit, payment.status)],
      ...(failureCode === undefined
        ? []
        : ([
            [t("failure"), html`<code>${enumWords(DeclineCodeSchema).wordOf.get(failureCode) ?? ""}</code>`],
          ] as const)),
      ...(refundedAmount === undefined
        ? []
        : ([[t("refunded_amount"), visit.format.money(refundedAmount, payment.grossCurrency)]] as const)),
      [t("reference"), html`<bdi>${payment.reference ?? visit.t("none")}</bdi>`],
      [t("created"), time(visit, payment.createdAt)],
      [t("updated"), time(visit, payment.updatedAt)],
      [t("method"), methodText(visit, payment.paymentMethod)],
      ...(installments === undefined ? [] : ([[t("installments"), String(installments)]] as const)),
      [t("fees_by"), feeHandlingText(visit, payment.feeHandling)],
      [t("link"), link],
    ])}`,
  );
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
