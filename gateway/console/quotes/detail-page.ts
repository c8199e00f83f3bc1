import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { decimalText, MINOR_DIGITS } from "../../../contract/decimal.ts";
import {
  FeeHandling,
  QuoteStatus,
  type GetQuoteResponse,
  type Quote,
  type QuoteDetails,
  type Tax,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Typed } from "../fields/typed.ts";
import { consolePage } from "../frame.ts";
import { problemList } from "../parts/form.ts";
import { card, facts, feeHandlingText, notice, time } from "../parts/show.ts";
import { withQuery, table } from "../parts/table.ts";
import { methodWord, installmentsText } from "../prices/payment-option.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";
import { acceptForm, acceptLabels } from "./accept-form.ts";
import { quoteBadge, quotedOption } from "./show.ts";
import { messagesIn, type Translate } from "./messages.ts";

type Line = readonly [name: Html | string, amount: Html | string];

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
    content: html`${visit.query["done"] === "made" ? notice(t("made")) : ""}
      ${problemList(visit, problems, acceptLabels(visit))}
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

/** Returns the statement from the payer's total to the merchant's net. Each line is a column of the stored price. */
function statement(visit: Visit, t: Translate, quote: Quote, details: QuoteDetails): Html {
  const { format } = visit;
  const priced = (minor: bigint | undefined): string => format.money(minor ?? 0n, details.pricingCurrency);
  const { totalFee, serviceFee, installmentSurcharge, tax } = quote.breakdown ?? {};
  const parts = installmentsText(
    visit,
    quote.installments,
    details.firstInstallment,
    details.otherInstallment,
    quote.payerCurrency,
  );
  const installments: Line[] = parts === "" ? [] : [[t("in_installments"), parts]];
  return lines(t, t("statement"), [
    [strong(t("payer_total")), strong(format.money(quote.payerTotal, quote.payerCurrency))],
    ...installments,
    [t("gross"), priced(details.grossAmount)],
    [`− ${t("service_fee")}`, priced(serviceFee?.finalCents)],
    [`− ${t("surcharge")}`, priced(installmentSurcharge?.amount)],
    [withNote(`− ${t("iof")}`, iofNote(t, tax)), priced(tax?.iofAmountCents)],
    [`= ${t("net")}`, priced(details.netAmount)],
    [strong(t("receiver_net")), strong(format.money(quote.receiverNet, quote.receiverCurrency))],
    [html`<span class="quiet">${t("total_fee")}</span>`, priced(totalFee?.amount)],
  ]);
}

/** Returns the calculation of the service fee. */
function feeStatement(visit: Visit, t: Translate, { breakdown }: Quote, details: QuoteDetails): Html {
  const { serviceFee } = breakdown ?? {};
  const priced = (minor: bigint | undefined): string =>
    visit.format.money(minor ?? 0n, details.pricingCurrency);
  const applied = [
    ...(serviceFee?.minApplied ? [t("min_applied")] : []),
    ...(serviceFee?.maxApplied ? [t("max_applied")] : []),
  ];
  return lines(t, t("fee_statement"), [
    [t("percent_part"), priced(serviceFee?.percentAmountCents)],
    [t("fixed_part"), priced(serviceFee?.fixedCents)],
    [t("raw_total"), priced(serviceFee?.rawTotalCents)],
    [withNote(strong(t("service_fee")), applied.join(", ")), strong(priced(serviceFee?.finalCents))],
  ]);
}

function lines(t: Translate, caption: string, rows: readonly Line[]): Html {
  return table({
    caption,
    columns: [{ title: t("line") }, { title: t("amount"), isNumber: true }],
    rows,
    empty: html``,
  });
}

function iofNote(t: Translate, tax: Tax | undefined): string {
  if (!tax?.iofApplicable) return t("iof_not_applicable");
  return tax.iofEnabled ? "" : t("iof_not_enabled");
}

function withNote(text: Html | string, note: string): Html | string {
  return note === "" ? text : html`${text} <span class="quiet">(${note})</span>`;
}

function strong(text: string): Html {
  return html`<strong>${text}</strong>`;
}
