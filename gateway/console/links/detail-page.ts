import { html } from "hono/html";
import { PaymentLinkStatus, type PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import type { Html } from "../../pages/html.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { methodWord } from "../prices/way.ts";
import { dayOf, today } from "../day.ts";
import { consolePage } from "../frame.ts";
import { buttonForm, postForm, selectField } from "../parts/form.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, card, copyable, methodText } from "../parts/show.ts";
import { withQuery } from "../parts/table.ts";
import { NO_PROBLEMS } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { eventsTable, paymentsTable, sessionsTable } from "./activity.ts";
import { linkBadge, linkName, openPage } from "./show.ts";
import { aboutFacts, metadataTable, productFacts, valueFacts } from "./facts.ts";
import type { LinkFacts } from "./link-facts.ts";
import { sayIn, type Say, type Word } from "./words.ts";

const DONE: Readonly<Record<string, Word>> = {
  made: "made",
  canceled: "canceled_now",
  simulated: "simulated_now",
};

/** The page of one link. */
export function detailPage(visit: Visit, facts: LinkFacts): Html {
  const say = sayIn(visit.language);
  const { link, details, sessions, payments, hasMorePayments, events } = facts;
  const isOpen = link.status === PaymentLinkStatus.ACTIVE;
  return consolePage(visit, {
    title: linkName(say, link),
    section: "/links",
    trail: { path: "/links", title: say("title") },
    actions: isOpen ? openPage(say, link, "primary") : "",
    content: html`${doneNotice(visit, say, DONE)}
      <p class="status">
        ${linkBadge(say, link.status)} ${details?.isCampaign ? badge("plain", say("campaign")) : ""}
        <span class="big">${visit.format.money(link.amount, link.currency)}</span>
      </p>
      <div class="cards">
        ${isOpen ? card(say("share"), sharePart(visit, say, link)) : ""}
        <div>
          ${card(say("values"), valueFacts(visit, say, link))}
          ${card(say("about"), aboutFacts(visit, say, link, details))}
        </div>
        ${card(say("product"), productFacts(visit, say, link))}
        ${link.metadata && Object.keys(link.metadata).length > 0 ? card(say("metadata"), metadataTable(say, link.metadata)) : ""}
      </div>
      <h2>${say("payments")}</h2>
      ${paymentsTable(visit, say, payments)}
      ${hasMorePayments ? html`<p><a href="${allPayments(visit, link)}">${say("payments_more")}</a></p>` : ""}
      <h2>${say("sessions")}</h2>
      <p class="quiet">${say("sessions_help")}</p>
      ${sessionsTable(visit, say, sessions, isOpen)}
      <h2>${say("events")}</h2>
      ${eventsTable(visit, say, events)}
      ${isOpen && visit.can("links.write") ? changes(visit, say, link) : ""}`,
  });
}

/** The page of all payments of a link: since the day on which it was made. */
function allPayments(visit: Visit, { id, created }: PaymentLink): string {
  const from = dayOf(Number(created?.seconds ?? 0));
  return withQuery(visit.path("/payments"), { link: id, from, to: today() });
}

function sharePart(visit: Visit, say: Say, { checkoutUrl }: PaymentLink): Html {
  return html`${copyable(visit, "checkout-url", checkoutUrl, say("address"))}
    <div class="qr" role="img" aria-label="${say("qr")}">${qrCode(checkoutUrl)}</div>`;
}

function changes(visit: Visit, say: Say, link: PaymentLink): Html {
  const path = visit.path(`/links/${link.id}`);
  return html`<div class="cards">
    ${visit.mode === "test" ? card(say("simulate_title"), simulatePart(visit, say, path, link)) : ""}
    ${card(
      say("cancel_title"),
      html`<p>${say("cancel_text")}</p>
        ${buttonForm(visit, `${path}/cancel`, say("cancel"), { kind: "danger", question: say("cancel_question") })}`,
    )}
  </div>`;
}

function simulatePart(visit: Visit, say: Say, path: string, { paymentMethods }: PaymentLink): Html {
  return html`<p>${say("simulate_text")}</p>
    ${postForm(
      visit,
      `${path}/simulate`,
      html`<div class="pair">
          ${selectField({
            name: "outcome",
            label: say("outcome"),
            options: [
              ["succeeded", say("outcome_succeeded")],
              ["failed", say("outcome_failed")],
              ["expired", say("outcome_expired")],
            ],
            problems: NO_PROBLEMS,
          })}
          ${selectField({
            name: "payment_method",
            label: say("method"),
            options: paymentMethods.map((method) => [methodWord(method), methodText(visit, method)]),
            problems: NO_PROBLEMS,
          })}
        </div>
        <button>${say("simulate")}</button>`,
    )}`;
}
