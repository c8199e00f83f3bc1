import { defined } from "../../../contract/defined.ts";
import type { Profile } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { CreatePaymentLinkRequestSchema } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod, type PreviewedWay } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { amountFields } from "../fields/amount.ts";
import { defaultButton } from "../fields/default-button.ts";
import { lifeFields } from "../fields/expiry.ts";
import { metadataFields } from "../fields/metadata.ts";
import { ASKED_NAMES, askedOptions } from "../fields/payer-fields.ts";
import { submissionField } from "../fields/submission.ts";
import type { Typed } from "../fields/typed.ts";
import { messagesIn as fieldMessagesIn } from "../fields/messages.ts";
import { limitOf } from "../form/limits.ts";
import { consolePage } from "../frame.ts";
import { mediaPicker } from "../media/picker.ts";
import { PICTURE_TYPES } from "../media/picture.ts";
import { brandHead } from "../parts/brand.ts";
import {
  choiceField,
  fileField,
  inputField,
  postForm,
  problemList,
  selectField,
  textField,
} from "../parts/form.ts";
import { feeField, installmentsField, pricedSet } from "../prices/fields.ts";
import { previewOf, type Preview } from "../prices/preview.ts";
import { pricesPart } from "../prices/view.ts";
import { messagesIn as priceMessagesIn } from "../prices/messages.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { linkMost, methodsOf } from "./link-form.ts";
import { messagesIn, type Translate } from "./messages.ts";
import { addressesOf } from "../fields/given.ts";
import { optionText } from "../prices/payment-option.ts";

const PATH = "/links/new";
const FILLED = CreatePaymentLinkRequestSchema.field;
const PRICES = "/links/prices";
/** Where the form goes that saves a picture and comes back with it. */
export const PICTURE_PATH = "/links/new/picture";
const PICTURES = "product_images";
/** The folded fields. One that is filled in unfolds them. */
const MORE = [
  "max_installments",
  "details",
  "product_ref",
  PICTURES,
  "content",
  "campaign",
  "expires_unit",
  "expires_in",
  "collect_fields",
  "success_message",
  "success_url",
  "reference",
  "metadata",
  "metadata_key",
];
/** The fields whose problems do not name them. */
const LABELLED = ["description", "details", "product_ref", "reference", "success_message"] as const;
const PICTURES_MAX = limitOf(FILLED.productImages, "maxItems");

/** Returns the prices of the form's link and a picture of its page, with the fields filled in so far. */
export async function linkPrices(visit: Visit, typed: Typed): Promise<Html> {
  const most = linkMost(typed);
  const { core, tenantId, as } = visit;
  const [preview, { tenant }] = await Promise.all([
    previewOf(visit, typed, {
      paymentMethods: [PaymentMethod.PIX, PaymentMethod.CARD],
      ...defined({ maxInstallments: most }),
    }),
    core.identity.getTenant({ tenantId }, as),
  ]);
  const beside = { kind: "link", methods: methodsOf(typed), most } as const;
  return pricesPart(visit, preview, beside, payerPreview(visit, typed, preview, tenant?.profile));
}

/** Returns the form of a new link, with its values and problems: three fields, and all others folded. */
export async function newPage(visit: Visit, typed: Typed, problems: Problems = NO_PROBLEMS): Promise<Html> {
  const t = messagesIn(visit.language);
  const prices = await linkPrices(visit, typed);
  const isOpen = MORE.some((name) => problems.has(name) || typed.texts(name).some((text) => text !== ""));
  return consolePage(visit, {
    title: t("new_title"),
    section: "/links",
    trail: { path: "/links", title: t("title") },
    content: html`${problemList(visit, problems, new Map(LABELLED.map((name) => [name, t(name)])))}
    ${postForm(
      visit,
      visit.path(PATH),
      html`${defaultButton(t("create"))} ${submissionField()}
        <div class="beside">
          <div>
            <section class="card">
              ${pricedSet(visit, visit.path(PRICES), firstFields(visit, t, typed, problems))}
              <details ${isOpen ? html`open` : ""}>
                <summary>${t("more")}</summary>
                ${pricedSet(visit, visit.path(PRICES), moreFields(visit, typed, problems))}
                <h2>${t("part_product")}</h2>
                ${productPart(visit, t, typed, problems)}
                <h2>${t("part_after")}</h2>
                ${afterPart(t, typed, problems)}
                <h2>${t("part_rules")}</h2>
                ${rulesPart(visit, t, typed, problems)}
                <h2>${t("part_own")}</h2>
                ${ownPart(visit, typed, problems)}
              </details>
            </section>
            <div class="buttons">
              <button class="primary">${t("create")}</button>
            </div>
          </div>
          ${prices}
        </div>`,
    )}`,
  });
}

function firstFields(visit: Visit, t: Translate, typed: Typed, problems: Problems): Html {
  return html`${amountFields(visit, typed, problems)}
  ${inputField({
    name: "description",
    label: t("description"),
    help: t("description_help"),
    value: typed.text("description"),
    maxLength: limitOf(FILLED.description, "maxLength"),
    problems,
  })}
  ${choiceField({
    kind: "checkbox",
    name: "payment_methods",
    label: priceMessagesIn(visit.language)("methods"),
    options: [
      ["pix", visit.t("pix")],
      ["card", visit.t("card")],
    ],
    chosen: typed.texts("payment_methods"),
    problems,
  })}`;
}

function moreFields(visit: Visit, typed: Typed, problems: Problems): Html {
  const label = priceMessagesIn(visit.language)("max_installments");
  return html`${installmentsField(visit, "max_installments", label, typed, problems)}
    ${feeField(visit, typed, problems, "absorb")}
    ${mediaPicker(visit, { name: PICTURES, chosen: typed.texts(PICTURES), max: PICTURES_MAX })}
    ${fileField({ name: "content", label: messagesIn(visit.language)("picture_new"), accept: PICTURE_TYPES, problems })}
    <p>
      <button formaction="${visit.path(PICTURE_PATH)}" formenctype="multipart/form-data" formnovalidate>
        ${messagesIn(visit.language)("picture_add")}
      </button>
    </p>`;
}

function productPart(visit: Visit, t: Translate, typed: Typed, problems: Problems): Html {
  const shared = fieldMessagesIn(visit.language);
  return html`${textField({ name: "details", label: t("details"), value: typed.text("details"), problems })}
  ${inputField({
    name: "product_ref",
    label: t("product_ref"),
    value: typed.text("product_ref"),
    maxLength: limitOf(FILLED.productRef, "maxLength"),
    problems,
  })}
  ${textField({
    name: PICTURES,
    label: shared("pictures_more"),
    help: shared("pictures_help"),
    value: typed.lines(PICTURES),
    problems,
  })}`;
}

/** What a payer who has paid reads, and where they may go back to. */
function afterPart(t: Translate, typed: Typed, problems: Problems): Html {
  return html`${textField({
    name: "success_message",
    label: t("success_message"),
    help: t("success_message_help"),
    value: typed.text("success_message"),
    problems,
  })}
  ${inputField({
    name: "success_url",
    label: t("success_url"),
    help: t("success_url_help"),
    type: "url",
    value: typed.text("success_url"),
    maxLength: limitOf(FILLED.successUrl, "maxLength"),
    problems,
  })}`;
}

function rulesPart(visit: Visit, t: Translate, typed: Typed, problems: Problems): Html {
  return html`${lifeFields(visit, typed, problems)}
  ${selectField({
    name: "collect_fields",
    label: t("collect"),
    options: [
      ["", t("collect_default")],
      ["nothing", t("collect_nothing")],
      ["phone", t("collect_phone")],
      ["address", t("collect_address")],
      ["both", t("collect_both")],
    ],
    value: typed.text("collect_fields"),
    problems,
  })}
  ${ASKED_NAMES.map((name) => {
    const shared = fieldMessagesIn(visit.language);
    return selectField({
      name,
      label: shared("asked_of_payer", { label: shared(name) }),
      options: askedOptions(visit.language),
      value: typed.text(name),
      problems,
    });
  })}`;
}

function ownPart(visit: Visit, typed: Typed, problems: Problems): Html {
  const t = fieldMessagesIn(visit.language);
  return html`${inputField({
    name: "reference",
    label: t("reference"),
    help: t("reference_help"),
    value: typed.text("reference"),
    maxLength: limitOf(FILLED.reference, "maxLength"),
    problems,
  })}
  ${metadataFields(visit, visit.path(PATH), typed, problems)}`;
}

/** Returns a picture of the payer's page of the form's link, with the core's prices. It has nothing to press. */
function payerPreview(
  visit: Visit,
  typed: Typed,
  preview: Preview | undefined,
  profile: Profile | undefined,
): Html {
  const t = messagesIn(visit.language);
  const methods = new Set(methodsOf(typed));
  const options = (preview?.prices?.ways ?? []).filter(
    ({ paymentMethod, result }) => methods.has(paymentMethod) && result.case === "price",
  );
  const [picture] = addressesOf(typed.texts("product_images"));
  const isShown = picture?.startsWith(`${visit.mediaBase}/`) ?? false;
  return html`<section class="card payer" aria-labelledby="payer-title">
    <h2 id="payer-title">${t("preview_title")}</h2>
    ${brandHead(visit, profile)} ${isShown ? html`<img src="${picture ?? ""}" alt="" />` : ""}
    <p><strong>${typed.text("description") || t("untitled")}</strong></p>
    ${options.length === 0 ? html`<p class="quiet">${t("preview_empty")}</p>` : priced(visit, options)}
  </section>`;
}

/** The first option of each method, as the payer meets it. */
function priced(visit: Visit, options: readonly PreviewedWay[]): Html {
  const byMethod = [...Map.groupBy(options, ({ paymentMethod }) => paymentMethod).values()];
  const lines = byMethod.flatMap(([first]) => {
    if (first?.result.case !== "price") return [];
    const { payerTotal, payerCurrency } = first.result.value;
    return html`<li>
      ${optionText(visit, first.paymentMethod, first.installments)}
      <strong>${visit.format.money(payerTotal, payerCurrency)}</strong>
    </li>`;
  });
  return html`<ul class="bare">
    ${lines}
  </ul>`;
}
