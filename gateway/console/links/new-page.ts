import { CreatePaymentLinkRequestSchema } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { defaultButton } from "../fields/default-button.ts";
import { lifeFields } from "../fields/expiry.ts";
import { metadataFields } from "../fields/metadata.ts";
import { submissionField } from "../fields/submission.ts";
import type { Typed } from "../fields/typed.ts";
import { messagesIn as fieldMessagesIn } from "../fields/messages.ts";
import { limitOf } from "../form/limits.ts";
import { consolePage } from "../frame.ts";
import { mediaPicker } from "../media/picker.ts";
import { choiceField, inputField, postForm, problemList, selectField, textField } from "../parts/form.ts";
import { card } from "../parts/show.ts";
import { installmentsField, pricedFields } from "../prices/fields.ts";
import { previewOf } from "../prices/preview.ts";
import { pricesPart } from "../prices/view.ts";
import { messagesIn as priceMessagesIn } from "../prices/messages.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { methodsOf, mostOf } from "./link-form.ts";
import { messagesIn, type Translate } from "./messages.ts";

const PATH = "/links/new";
const FILLED = CreatePaymentLinkRequestSchema.field;
const PICTURES_MAX = limitOf(FILLED.productImages, "maxItems");

/** Returns the prices of the form's link by each way to pay, with the fields filled in so far. */
export async function linkPrices(visit: Visit, typed: Typed): Promise<Html> {
  const most = mostOf(typed);
  const preview = await previewOf(visit, typed, {
    paymentMethods: [PaymentMethod.PIX, PaymentMethod.CARD],
    ...(most === undefined ? {} : { maxInstallments: most }),
  });
  return pricesPart(visit, preview, { kind: "link", methods: methodsOf(typed), most });
}

/** Returns the form of a new link, with its values and problems. */
export async function newPage(visit: Visit, typed: Typed, problems: Problems = NO_PROBLEMS): Promise<Html> {
  const t = messagesIn(visit.language);
  const prices = await linkPrices(visit, typed);
  return consolePage(visit, {
    title: t("new_title"),
    section: "/links",
    trail: { path: "/links", title: t("title") },
    content: html`${problemList(visit, problems)}
    ${postForm(
      visit,
      visit.path(PATH),
      html`${defaultButton(t("create"))} ${submissionField()}
        ${card(t("part_price"), pricePart(visit, typed, problems))} ${prices}
        ${card(t("part_product"), productPart(visit, t, typed, problems))}
        ${card(t("part_rules"), rulesPart(visit, t, typed, problems))}
        ${card(t("part_own"), ownPart(visit, typed, problems))}
        <div class="buttons">
          <button class="primary">${t("create")}</button>
          <p class="quiet">${t("double_submit")}</p>
        </div>`,
    )}`,
  });
}

function pricePart(visit: Visit, typed: Typed, problems: Problems): Html {
  const t = priceMessagesIn(visit.language);
  const methods = html`${choiceField({
    kind: "checkbox",
    name: "payment_methods",
    label: t("methods"),
    options: [
      ["pix", visit.t("pix")],
      ["card", visit.t("card")],
    ],
    chosen: typed.chosen("payment_methods", ["pix"]),
    problems,
  })}
  ${installmentsField(visit, "max_installments", t("max_installments"), typed, problems)}`;
  return pricedFields(visit, visit.path("/links/prices"), typed, problems, { methods, usualFees: "absorb" });
}

function productPart(visit: Visit, t: Translate, typed: Typed, problems: Problems): Html {
  const shared = fieldMessagesIn(visit.language);
  return html`${inputField({
    name: "description",
    label: t("description"),
    help: t("description_help"),
    value: typed.text("description"),
    maxLength: limitOf(FILLED.description, "maxLength"),
    problems,
  })}
  ${textField({ name: "details", label: t("details"), value: typed.text("details"), problems })}
  ${inputField({
    name: "product_ref",
    label: t("product_ref"),
    value: typed.text("product_ref"),
    maxLength: limitOf(FILLED.productRef, "maxLength"),
    problems,
  })}
  ${mediaPicker(visit, { name: "product_images", chosen: typed.texts("product_images"), max: PICTURES_MAX })}
  ${textField({
    name: "product_images",
    label: shared("pictures_more"),
    help: shared("pictures_help"),
    value: typed.lines("product_images"),
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
