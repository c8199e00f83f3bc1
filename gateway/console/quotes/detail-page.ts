import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { html } from "hono/html";
import {
  FeeHandling,
  QuoteStatus,
  type GetQuoteResponse,
  type Quote,
  type QuoteDetails,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Html } from "../../pages/html.ts";
import type { Typed } from "../fields/typed.ts";
import { consolePage } from "../frame.ts";
import { problemList } from "../parts/form.ts";
import { card, facts, feeHandlingText, notice, time } from "../parts/show.ts";
import { withQuery } from "../parts/table.ts";
import { methodWord } from "../prices/way.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";
import { acceptForm } from "./accept-form.ts";
import { quoteBadge, quotedWay } from "./show.ts";
import { feeStatement, statement } from "./statement.ts";
import { sayIn, type Say } from "./words.ts";

type Fact = readonly [name: string, value: Html | string];

const MINUTE = 60n;

/** The page of one quote, with the form that accepts it as long as it is open. */
export function detailPage(
  visit: Visit,
  { quote: stored, now }: GetQuoteResponse,
  typed: Typed,
  problems: Problems = NO_PROBLEMS,
): Html {
  const say = sayIn(visit.language);
  const { quote, details } = stored ?? {};
  if (!quote || !details) throw new Refused("unknown", visit);
  const isOpen = details.status === QuoteStatus.OPEN;
  return consolePage(visit, {
    title: `${quotedWay(visit, quote)} · ${visit.format.money(details.amount, details.currency)}`,
    section: "/quotes",
    trail: { path: "/quotes", title: say("title") },
    actions: actions(visit, say, quote, details),
    content: html`${visit.query["done"] === "made" ? notice(say("made")) : ""} ${problemList(visit, problems)}
      <p class="status">
        ${quoteBadge(say, details.status)} ${isOpen ? countdown(say, quote.expiresAt, now) : ""}
        ${details.status === QuoteStatus.EXPIRED ? say("expired_text") : ""}
      </p>
      <div class="cards">
        ${card(say("statement"), statement(visit, say, quote, details))}
        <div>
          ${card(say("about"), about(visit, say, quote, details))}
          ${card(say("fee_statement"), feeStatement(visit, say, quote, details))}
        </div>
      </div>
      ${isOpen && visit.can("links.write") ? acceptForm(visit, quote.id, typed, problems) : ""}`,
  });
}

function actions(visit: Visit, say: Say, quote: Quote, details: QuoteDetails): Html | "" {
  if (details.linkId) {
    return html`<a class="button primary" href="${visit.path(`/links/${details.linkId}`)}"
      >${say("open_link")}</a
    >`;
  }
  if (details.status !== QuoteStatus.EXPIRED || !visit.can("links.write")) return "";
  const again = withQuery(visit.path("/quotes/new"), {
    amount: decimal(details.amount),
    currency: details.currency,
    payment_method: methodWord(quote.paymentMethod),
    installments: String(quote.installments),
    fee_handling: quote.breakdown?.feeHandling === FeeHandling.PASS_THROUGH ? "pass_through" : "absorb",
  });
  return html`<a class="button primary" href="${again}">${say("again")}</a>`;
}

/** What is left of it; a script counts on. */
function countdown(say: Say, expiresAt: Timestamp | undefined, now: Timestamp | undefined): Html {
  const left = (expiresAt?.seconds ?? 0n) - (now?.seconds ?? 0n);
  const minutes = say("minutes", { n: String(left / MINUTE) });
  const text = say("left", { time: left < MINUTE ? say("left_short") : minutes });
  return html`<strong data-left="${left}" data-left-text="${say("left", { time: "{time}" })}"
    >${text}</strong
  >`;
}

function about(visit: Visit, say: Say, quote: Quote, details: QuoteDetails): Html {
  const { fx, paymentIntentId, expiresAt, createdAt, ruleId, signature } = quote;
  const rate: Fact[] = fx
    ? [
        [say("rate"), say("rate_value", { rate: visit.format.rate(fx.rate) })],
        [say("rate_locked"), time(visit, fx.lockedAt)],
        [say("rate_until"), time(visit, fx.validUntil)],
        [say("rate_id"), String(fx.rateHistoryId)],
      ]
    : [];
  const intent: Fact[] = paymentIntentId ? [[say("intent"), id(paymentIntentId)]] : [];
  const accepted: Fact[] = details.consumedAt ? [[say("accepted"), time(visit, details.consumedAt)]] : [];
  const reference: Fact[] = details.reference === undefined ? [] : [[say("reference"), details.reference]];
  const feeHandling = quote.breakdown?.feeHandling;
  return html`${facts([
      [say("id"), id(quote.id)],
      [say("asked"), visit.format.money(details.amount, details.currency)],
      [say("product"), visit.format.money(details.productAmount, details.pricingCurrency)],
      [say("created"), time(visit, createdAt)],
      [say("valid_until"), time(visit, expiresAt)],
      ...accepted,
      ...reference,
      ...intent,
      [say("fee_handling"), feeHandling === undefined ? "—" : feeHandlingText(visit, feeHandling)],
      ...rate,
      [say("rule"), id(ruleId)],
    ])}
    <details>
      <summary>${say("signature")}</summary>
      <p class="quiet">${say("signature_help")}</p>
      <p class="id">${signature}</p>
    </details>`;
}

function id(text: string): Html {
  return html`<span class="id">${text}</span>`;
}

/** As somebody could have typed it, in either language. */
function decimal(minor: bigint): string {
  const text = minor.toString().padStart(3, "0");
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}
