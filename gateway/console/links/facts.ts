import type { JsonObject } from "@bufbuild/protobuf";
import {
  CollectField,
  type PaymentLink,
  type PaymentLinkDetails,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { currencySymbol } from "../../../contract/money-text.ts";
import { html, type Html } from "../../pages/html.ts";
import { askedText } from "../fields/payer-fields.ts";
import { facts, feeHandlingText, time } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { expiryText, methodsText } from "./show.ts";
import type { Translate } from "./messages.ts";

type Fact = readonly [name: string, value: Html | string];

/** Returns the amount and the payment methods. */
export function valueFacts(visit: Visit, t: Translate, link: PaymentLink): Html {
  const hasCard = link.paymentMethods.includes(PaymentMethod.CARD);
  const installments: Fact[] = hasCard
    ? [[t("max_installments"), t("up_to", { n: link.maxInstallments })]]
    : [];
  return facts([
    [t("amount"), visit.format.money(link.amount, link.currency)],
    [t("methods"), methodsText(visit, link)],
    ...installments,
    [t("fee_handling"), feeHandlingText(visit, link.feeHandling)],
    [t("payout"), currencySymbol(link.merchantPayoutCurrency)],
  ]);
}

/** Returns the product and the fields that the payer fills in. */
export function productFacts(visit: Visit, t: Translate, link: PaymentLink): Html {
  const { description, details, productRef, productImages, collectFields, payerFields } = link;
  const collected = collectFields.map((field) =>
    t(field === CollectField.PHONE ? "collect_phone" : "collect_address"),
  );
  const ruled = askedText(visit.language, payerFields);
  const asked = [...(ruled === "" ? [] : [ruled]), ...collected];
  const { successMessage, successUrl } = link;
  const after: Fact[] = [
    ...(successMessage ? [[t("success_message"), successMessage] as const] : []),
    ...(successUrl ? [[t("success_url"), html`<code class="id">${successUrl}</code>`] as const] : []),
  ];
  return html`${facts([
    [t("description"), description ?? "—"],
    [t("details"), details ?? "—"],
    [t("product_ref"), productRef ?? "—"],
    [t("collects"), asked.length === 0 ? t("collect_nothing") : asked.join(", ")],
    ...after,
  ])}
  ${productImages.length === 0 ? "" : pictures(visit, t, link)}`;
}

/** Returns the link's id, reference, source (quote or payment intent) and times. */
export function aboutFacts(
  visit: Visit,
  t: Translate,
  link: PaymentLink,
  details: PaymentLinkDetails | undefined,
): Html {
  const { quoteId, paymentIntentId, updatedAt } = details ?? {};
  const quote: Fact[] = quoteId
    ? [[t("quote"), html`<a class="id" href="${visit.path(`/quotes/${quoteId}`)}">${quoteId}</a>`]]
    : [];
  const intent: Fact[] = paymentIntentId ? [[t("intent"), id(paymentIntentId)]] : [];
  const updated: Fact[] = updatedAt ? [[t("updated"), time(visit, updatedAt)]] : [];
  return facts([
    [t("id"), id(link.id)],
    [t("reference"), link.reference ?? "—"],
    ...quote,
    ...intent,
    [t("created"), time(visit, link.created)],
    [t("expires"), expiryText(visit, link.expiresAt)],
    ...updated,
  ]);
}

/** Returns the integrator's metadata, unchanged. */
export function metadataTable(t: Translate, metadata: JsonObject): Html {
  return rowTable(t, {
    caption: t("metadata"),
    rows: Object.entries(metadata),
    columns: {
      key: ([key]) => key,
      value: ([, value]) =>
        html`<span class="address">${typeof value === "string" ? value : JSON.stringify(value)}</span>`,
    },
    empty: html``,
  });
}

/** Shows hosted pictures. Of others it shows only the address. */
function pictures({ mediaBase }: Visit, t: Translate, { productImages }: PaymentLink): Html {
  return html`<h3>${t("pictures")}</h3>
    <ul class="pictures">
      ${productImages.map((address, index) => {
        const isShown = address.startsWith(`${mediaBase}/`);
        const alt = t("picture", { n: index + 1 });
        return html`<li>
          ${isShown ? html`<img src="${address}" alt="${alt}" loading="lazy" />` : ""}
          <span class="id">${address}</span>
        </li>`;
      })}
    </ul>`;
}

function id(text: string): Html {
  return html`<span class="id">${text}</span>`;
}
