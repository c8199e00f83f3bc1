import {
  PriceRefusal,
  type PaymentMethod,
  type PreviewedPrice,
  type PreviewedWay,
  type PreviewPricesResponse,
  type GetRateStandingResponse,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { defaultNumber } from "../../../contract/field-default.ts";
import { CreatePaymentLinkRequestSchema } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, methodText } from "../parts/show.ts";
import { table, type Column } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import type { Preview } from "./preview.ts";
import { installmentsText, methodWord, optionText } from "./payment-option.ts";
import { messagesIn, type Translate } from "./messages.ts";

const HOUR_SECONDS = 3600n;
const PTAX = "ptax";
const MANUAL = "manual";

/** The form around the prices, which adds its own control to each payment option. */
export type Beside =
  | { readonly kind: "link"; readonly methods: readonly PaymentMethod[]; readonly most: number | undefined }
  | { readonly kind: "quote" };

/** The most installments of a link that names no number; its tenant's lower limit has no prices beyond. */
const LINK_INSTALLMENTS = defaultNumber(CreatePaymentLinkRequestSchema.field.maxInstallments);

/** The value of the button that shows prices without a script. */
export const SHOW_PRICES = "prices";

const REFUSALS: Readonly<
  Record<
    PriceRefusal,
    "not_contracted" | "no_rule" | "net_not_positive" | "total_too_large" | "amount_too_small"
  >
> = {
  [PriceRefusal.UNSPECIFIED]: "no_rule",
  [PriceRefusal.METHOD_NOT_CONTRACTED]: "not_contracted",
  [PriceRefusal.NO_RULE]: "no_rule",
  [PriceRefusal.MERCHANT_NET_NOT_POSITIVE]: "net_not_positive",
  [PriceRefusal.TOTAL_TOO_LARGE]: "total_too_large",
  [PriceRefusal.AMOUNT_TOO_SMALL]: "amount_too_small",
};

/** Returns the part of a form with current prices, and what follows them. It is reloaded while the user types. */
export function pricesPart(
  visit: Visit,
  preview: Preview | undefined,
  beside: Beside,
  after: Html | "" = "",
): Html {
  const t = messagesIn(visit.language);
  return html`<div id="prices">
    <section class="card prices" aria-labelledby="prices-title">
      <h2 id="prices-title">${t("title")}</h2>
      ${content(visit, t, preview, beside)}
      <noscript><button name="do" value="${SHOW_PRICES}" formnovalidate>${t("calculate")}</button></noscript>
    </section>
    ${after}
  </div>`;
}

function content(visit: Visit, t: Translate, preview: Preview | undefined, beside: Beside): Html {
  if (!preview) return html`<p class="quiet">${t("lead")}</p>`;
  const { prices: found, problems, standing } = preview;
  const warnings = standing ? rateWarnings(visit, standing) : "";
  if (!found) {
    const texts = [...(problems?.values() ?? [])];
    return html`${texts.map((text) => html`<p class="problem">${text}</p>`)} ${warnings}`;
  }
  const { pricedAt } = found;
  const shown =
    beside.kind === "link"
      ? methodLines(visit, t, found.ways, beside)
      : pricesTable(visit, t, found.ways, beside);
  return html`${shown} ${warnings}
    <p class="quiet">
      ${pricedAt ? t("as_of", { time: visit.format.time(pricedAt) }) : ""} ${rateText(visit, t, found)}
      ${standing ? ageText(t, standing) : ""} ${t(beside.kind === "link" ? "link_fixes" : "quote_fixes")}
    </p>`;
}

/** Returns the rate with its source and the time of its publication. */
function rateText(
  { format }: Visit,
  t: Translate,
  { rateMicros, rateSource, ratePublishedAt: time }: PreviewPricesResponse,
): string {
  if (rateMicros === undefined) return "";
  const rate = t("rate", { rate: format.rate(rateMicros) });
  if (!time) return rate;
  return `${rate} ${t(rateSource === "ptax" ? "rate_ptax" : "rate_manual", { time: format.time(time) })}`;
}

const number = (title: string): Column => ({ title, isNumber: true });

/** Returns a line for each method, which opens to the prices of its payment options. */
function methodLines(visit: Visit, t: Translate, listed: readonly PreviewedWay[], beside: Beside): Html {
  const byMethod = [...Map.groupBy(listed, ({ paymentMethod }) => paymentMethod)];
  return html`${byMethod.map(
    ([method, options]) =>
      html`<details class="method">
        <summary><strong>${methodText(visit, method)}</strong> ${spansOf(visit, t, options)}</summary>
        ${pricesTable(visit, t, options, beside)}
      </details>`,
  )}`;
}

/** Returns what the payer pays and what the merchant gets over all options of a method. */
function spansOf({ format }: Visit, t: Translate, options: readonly PreviewedWay[]): Html | string {
  const found = options.flatMap(({ result }) => (result.case === "price" ? [result.value] : []));
  const [first] = found;
  if (!first) return options[0] ? (refused(t, options[0])[0] ?? "") : "";
  const span = (amounts: readonly bigint[], currency: string): string => {
    const sorted = amounts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const [least = 0n, most = 0n] = [sorted[0], sorted.at(-1)];
    const ends = least === most ? [least] : [least, most];
    return ends.map((amount) => format.money(amount, currency)).join(" – ");
  };
  const payer = span(
    found.map(({ payerTotal }) => payerTotal),
    first.payerCurrency,
  );
  const net = span(
    found.map(({ receiverNet }) => receiverNet),
    first.receiverCurrency,
  );
  return html`<span>${t("payer_pays")} ${payer}</span> <span class="quiet">${t("you_receive")} ${net}</span>`;
}

function pricesTable(visit: Visit, t: Translate, options: readonly PreviewedWay[], beside: Beside): Html {
  const columns = [
    { title: t("option") },
    { title: t(beside.kind === "link" ? "offered" : "quote") },
    number(t("payer_pays")),
    number(t("you_receive")),
    number(t("total_fee")),
    number(t("service_fee")),
    number(t("surcharge")),
    number(t("iof")),
  ];
  const rows = options.map((option) => [
    optionText(visit, option.paymentMethod, option.installments),
    besideText(visit, t, option, beside),
    ...(option.result.case === "price" ? prices(visit, option, option.result.value) : refused(t, option)),
  ]);
  return table({ caption: t("caption"), columns, rows, empty: html`<p>${t("lead")}</p>` });
}

function prices(visit: Visit, { installments }: PreviewedWay, price: PreviewedPrice): (Html | string)[] {
  const { format } = visit;
  const { payerTotal, payerCurrency, receiverNet, receiverCurrency, breakdown } = price;
  const { totalFee, serviceFee, installmentSurcharge, tax } = breakdown ?? {};
  const money = (minor: bigint | undefined, currency: string | undefined): string =>
    format.money(minor ?? 0n, currency ?? payerCurrency);
  const { firstInstallment, otherInstallment } = price;
  const parts = installmentsText(visit, installments, firstInstallment, otherInstallment, payerCurrency);
  return [
    html`<strong>${money(payerTotal, payerCurrency)}</strong
      >${parts === "" ? "" : html`<small class="quiet">${parts}</small>`}`,
    html`<strong>${money(receiverNet, receiverCurrency)}</strong>`,
    money(totalFee?.amount, totalFee?.currency),
    money(serviceFee?.finalCents, serviceFee?.finalCurrency),
    money(installmentSurcharge?.amount, installmentSurcharge?.currency),
    money(tax?.iofAmountCents, tax?.iofCurrency),
  ];
}

function refused(t: Translate, { result }: PreviewedWay): (Html | string)[] {
  const reason = result.case === "refusal" ? (REFUSALS[result.value] ?? "no_rule") : "no_rule";
  return [badge("warn", t(reason)), "—", "—", "—", "—", "—"];
}

function besideText(visit: Visit, t: Translate, previewed: PreviewedWay, beside: Beside): Html | string {
  const { paymentMethod, installments, result } = previewed;
  if (beside.kind === "link") {
    const most = beside.most ?? LINK_INSTALLMENTS;
    const isOffered = beside.methods.includes(paymentMethod) && installments <= most;
    return visit.t(isOffered && result.case === "price" ? "yes" : "no");
  }
  if (result.case !== "price") return "";
  const text = optionText(visit, paymentMethod, installments);
  return html`<button name="way" value="${methodWord(paymentMethod)}-${installments}">
    ${t("pick")} <span class="hidden">${text}</span>
  </button>`;
}

/** Returns the rate's age in whole hours, as it is counted: by the clock, or while banks are open in São Paulo. */
function ageText(t: Translate, { source, ageSeconds, maxAgeSeconds }: GetRateStandingResponse): string {
  if (source === undefined) return "";
  const [hours, max] = [ageSeconds, maxAgeSeconds].map((seconds) => String(seconds / HOUR_SECONDS));
  return t(source === MANUAL ? "rate_age" : "rate_bank_age", { hours: hours ?? "", max: max ?? "" });
}

/** Returns what is wrong with the rate: it is too old, or a newer one is held. */
function rateWarnings(visit: Visit, standing: GetRateStandingResponse): Html | "" {
  const { isTooOld, publishedAt, held } = standing;
  if (!isTooOld && held.length === 0) return "";
  const { format } = visit;
  const t = messagesIn(visit.language);
  const time = publishedAt ? format.time(publishedAt) : "";
  return html`<div class="problems" role="status">
    ${isTooOld ? html`<p>${t("rate_too_old", { time })} ${ageText(t, standing)}</p>` : ""}
    ${held.map(
      ({ id, spotMicros, lastMicros, jumpPpm, source, publishedAt: at }) =>
        html`<p>
            ${t("rate_held", {
              rate: format.rate(spotMicros),
              source: source === PTAX ? "PTAX" : source,
              time: at ? format.time(at) : "",
              change: format.change(jumpPpm),
              last: format.rate(lastMicros),
            })}
          </p>
          <p>${t("rate_release")} <code class="id">paylink fx release ${id} --mode ${visit.mode}</code></p>`,
    )}
  </div>`;
}
