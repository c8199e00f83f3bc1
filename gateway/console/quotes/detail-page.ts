import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { decimalText, MINOR_DIGITS } from "../../../contract/decimal.ts";
import {
  FeeHandling,
  QuoteStatus,
  type GetQuoteResponse,
  type Quote,
  type QuoteDetails,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Typed } from "../fields/typed.ts";
import { consolePage } from "../frame.ts";
import { problemList } from "../parts/form.ts";
import { card, facts, feeHandlingText, notice, time } from "../parts/show.ts";
import { withQuery } from "../parts/table.ts";
import { methodWord } from "../prices/payment-option.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";
import { acceptForm } from "./accept-form.ts";
import { quoteBadge, quotedOption } from "./show.ts";
import { feeStatement, statement } from "./statement.ts";
import { messagesIn, type Translate } from "./messages.ts";

type Fact = readonly [name: string, value: Html | string];

const MINUTE = 60n;

/** Returns the page of one quote. An open one has the form that accepts it. */
export function detailPage(
  visit: Visit,
  { quote: stored, now }: GetQuoteResponse,
  typed: Typed,
  problems: Problems = NO_PROBLEMS,
): Html {
  const t = messagesIn(visit.language);
  const { quote, details } = stored ?? {};
  if (!quote || !details) throw new Refused("unknown", visit);
  const isOpen = details.status === QuoteStatus.OPEN;
  return consolePage(visit, {
    title: `${quotedOption(visit, quote)} · ${visit.format.money(details.amount, details.currency)}`,
    section: "/quotes",
    trail: { path: "/quotes", title: t("title") },
    actions: actions(visit, t, quote, details),
    content: html`${visit.query["done"] === "made" ? notice(t("made")) : ""} ${problemList(visit, problems)}
      <p class="status">
        ${quoteBadge(t, details.status)} ${isOpen ? countdown(t, quote.expiresAt, now) : ""}
        ${details.status === QuoteStatus.EXPIRED ? t("expired_text") : ""}
      </p>
      <div class="cards">
        ${card(t("statement"), statement(visit, t, quote, details))}
        <div>
          ${card(t("about"), about(visit, t, quote, details))}
          ${card(t("fee_statement"), feeStatement(visit, t, quote, details))}
        </div>
      </div>
      ${isOpen && visit.can("links.write") ? acceptForm(visit, quote.id, typed, problems) : ""}`,
  });
}

function actions(visit: Visit, t: Translate, quote: Quote, details: QuoteDetails): Html | "" {
  if (details.linkId) {
    return html`<a class="button primary" href="${visit.path(`/links/${details.linkId}`)}"
      >${t("open_link")}</a
    >`;
  }
  if (details.status !== QuoteStatus.EXPIRED || !visit.can("links.write")) return "";
  const again = withQuery(visit.path("/quotes/new"), {
    amount: decimalText(details.amount, MINOR_DIGITS),
    currency: details.currency,
    payment_method: methodWord(quote.paymentMethod),
    installments: String(quote.installments),
    fee_handling: quote.breakdown?.feeHandling === FeeHandling.PASS_THROUGH ? "pass_through" : "absorb",
  });
  return html`<a class="button primary" href="${again}">${t("again")}</a>`;
}

/** Returns the time that is left. A script counts it down. */
function countdown(t: Translate, expiresAt: Timestamp | undefined, now: Timestamp | undefined): Html {
  const left = (expiresAt?.seconds ?? 0n) - (now?.seconds ?? 0n);
  const minutes = t("minutes", { n: String(left / MINUTE) });
  const text = t("left", { time: left < MINUTE ? t("left_short") : minutes });
  return html`<strong data-left="${left}" data-left-text="${t("left", { time: "{time}" })}">${text}</strong>`;
}

function about(visit: Visit, t: Translate, quote: Quote, details: QuoteDetails): Html {
  const { fx, paymentIntentId, expiresAt, createdAt, ruleId, signature } = quote;
  const rate: Fact[] = fx
    ? [
        [t("rate"), t("rate_value", { rate: visit.format.rate(fx.rate) })],
        [t("rate_locked"), time(visit, fx.lockedAt)],
        [t("rate_until"), time(visit, fx.validUntil)],
        [t("rate_id"), String(fx.rateHistoryId)],
      ]
    : [];
  const intent: Fact[] = paymentIntentId ? [[t("intent"), id(paymentIntentId)]] : [];
  const accepted: Fact[] = details.consumedAt ? [[t("accepted"), time(visit, details.consumedAt)]] : [];
  const reference: Fact[] = details.reference === undefined ? [] : [[t("reference"), details.reference]];
  const feeHandling = quote.breakdown?.feeHandling;
  return html`${facts([
      [t("id"), id(quote.id)],
      [t("asked"), visit.format.money(details.amount, details.currency)],
      [t("product"), visit.format.money(details.productAmount, details.pricingCurrency)],
      [t("created"), time(visit, createdAt)],
      [t("valid_until"), time(visit, expiresAt)],
      ...accepted,
      ...reference,
      ...intent,
      [t("fee_handling"), feeHandling === undefined ? "—" : feeHandlingText(visit, feeHandling)],
      ...rate,
      [t("rule"), id(ruleId)],
    ])}
    <details>
      <summary>${t("signature")}</summary>
      <p class="quiet">${t("signature_help")}</p>
      <p class="id">${signature}</p>
    </details>`;
}

function id(text: string): Html {
  return html`<span class="id">${text}</span>`;
}
