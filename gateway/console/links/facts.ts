import type { JsonObject } from "@bufbuild/protobuf";
import { html } from "hono/html";
import {
  CollectField,
  type PaymentLink,
  type PaymentLinkDetails,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Html } from "../../pages/html.ts";
import { facts, feeHandlingText, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { expiryText, methodsText } from "./show.ts";
import type { Say } from "./words.ts";

type Fact = readonly [name: string, value: Html | string];

/** What the payer is asked to pay, and how. */
export function valueFacts(visit: Visit, say: Say, link: PaymentLink): Html {
  const hasCard = link.paymentMethods.includes(PaymentMethod.CARD);
  const installments: Fact[] = hasCard
    ? [[say("max_installments"), say("up_to", { n: link.maxInstallments })]]
    : [];
  return facts([
    [say("amount"), visit.format.money(link.amount, link.currency)],
    [say("methods"), methodsText(visit, link)],
    ...installments,
    [say("fee_handling"), feeHandlingText(visit, link.feeHandling)],
    [say("payout"), link.merchantPayoutCurrency],
  ]);
}

/** What it is that is paid, and what the payer has to give. */
export function productFacts(visit: Visit, say: Say, link: PaymentLink): Html {
  const { description, details, productRef, productImages, collectFields } = link;
  const collected = collectFields.map((field) =>
    say(field === CollectField.PHONE ? "collect_phone" : "collect_address"),
  );
  return html`${facts([
    [say("description"), description ?? "—"],
    [say("details"), details ?? "—"],
    [say("product_ref"), productRef ?? "—"],
    [say("collects"), collected.length === 0 ? say("collect_nothing") : collected.join(", ")],
  ])}
  ${productImages.length === 0 ? "" : pictures(visit, say, link)}`;
}

/** Whose it is, where it came from, and its times. */
export function aboutFacts(
  visit: Visit,
  say: Say,
  link: PaymentLink,
  details: PaymentLinkDetails | undefined,
): Html {
  const { quoteId, paymentIntentId, updatedAt } = details ?? {};
  const quote: Fact[] = quoteId
    ? [[say("quote"), html`<a class="id" href="${visit.path(`/quotes/${quoteId}`)}">${quoteId}</a>`]]
    : [];
  const intent: Fact[] = paymentIntentId ? [[say("intent"), id(paymentIntentId)]] : [];
  const updated: Fact[] = updatedAt ? [[say("updated"), time(visit, updatedAt)]] : [];
  return facts([
    [say("id"), id(link.id)],
    [say("reference"), link.reference ?? "—"],
    ...quote,
    ...intent,
    [say("created"), time(visit, link.created)],
    [say("expires"), expiryText(visit, link.expiresAt)],
    ...updated,
  ]);
}

/** The integrator's data as it is. */
export function metadataTable(say: Say, metadata: JsonObject): Html {
  return table({
    caption: say("metadata"),
    columns: [{ title: say("key") }, { title: say("value") }],
    rows: Object.entries(metadata).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
    empty: html``,
  });
}

/** Hosted pictures are shown; of others the address is told. */
function pictures({ mediaBase }: Visit, say: Say, { productImages }: PaymentLink): Html {
  return html`<h3>${say("pictures")}</h3>
    <ul class="pictures">
      ${productImages.map((address, index) => {
        const isShown = address.startsWith(`${mediaBase}/`);
        const alt = say("picture", { n: index + 1 });
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
