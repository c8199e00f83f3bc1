import { html } from "hono/html";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Html } from "../../pages/html.ts";
import { defaultButton } from "../fields/default-button.ts";
import { lifeFields } from "../fields/expiry.ts";
import { metadataFields } from "../fields/metadata.ts";
import { submissionField } from "../fields/submission.ts";
import type { Typed } from "../fields/typed.ts";
import { sayIn as sayOfFields } from "../fields/words.ts";
import { consolePage } from "../frame.ts";
import { mediaPicker } from "../media/picker.ts";
import { choiceField, inputField, postForm, problemList, selectField, textField } from "../parts/form.ts";
import { card } from "../parts/show.ts";
import { installmentsField, pricedFields } from "../prices/fields.ts";
import { previewOf, type Preview } from "../prices/preview.ts";
import { pricesPart } from "../prices/view.ts";
import { sayIn as sayOfPrices } from "../prices/words.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { methodsOf, mostOf } from "./link-form.ts";
import { sayIn, type Say } from "./words.ts";

const PATH = "/links/new";
const PICTURES_MAX = 5;

/** What the form's link would cost by each way, as it is filled in so far. */
export async function linkPrices(visit: Visit, typed: Typed): Promise<Html> {
  const most = mostOf(typed);
  const preview: Preview = await previewOf(visit, typed, {
    paymentMethods: [PaymentMethod.PIX, PaymentMethod.CARD],
    ...(most === undefined ? {} : { maxInstallments: most }),
  });
  return pricesPart(visit, preview, { kind: "link", methods: methodsOf(typed), most });
}

/** The form of a new link, with what was typed and what is wrong with it. */
export async function newPage(visit: Visit, typed: Typed, problems: Problems = NO_PROBLEMS): Promise<Html> {
  const say = sayIn(visit.language);
  const prices = await linkPrices(visit, typed);
  return consolePage(visit, {
    title: say("new_title"),
    section: "/links",
    trail: { path: "/links", title: say("title") },
    content: html`${problemList(visit, problems)}
    ${postForm(
      visit,
      visit.path(PATH),
      html`${defaultButton(say("create"))} ${submissionField()}
        ${card(say("part_price"), pricePart(visit, typed, problems))} ${prices}
        ${card(say("part_product"), productPart(visit, say, typed, problems))}
        ${card(say("part_rules"), rulesPart(visit, say, typed, problems))}
        ${card(say("part_own"), ownPart(visit, typed, problems))}
        <div class="buttons">
          <button class="primary">${say("create")}</button>
          <p class="quiet">${say("double_submit")}</p>
        </div>`,
    )}`,
  });
}

function pricePart(visit: Visit, typed: Typed, problems: Problems): Html {
  const say = sayOfPrices(visit.language);
  const methods = html`${choiceField({
    kind: "checkbox",
    name: "payment_methods",
    label: say("methods"),
    options: [
      ["pix", visit.say("pix")],
      ["card", visit.say("card")],
    ],
    chosen: typed.chosen("payment_methods", ["pix"]),
    problems,
  })}
  ${installmentsField(visit, "max_installments", say("max_installments"), typed, problems)}`;
  return pricedFields(visit, visit.path("/links/prices"), typed, problems, { methods, usualFees: "absorb" });
}

function productPart(visit: Visit, say: Say, typed: Typed, problems: Problems): Html {
  const shared = sayOfFields(visit.language);
  return html`${inputField({
    name: "description",
    label: say("description"),
    help: say("description_help"),
    value: typed.text("description"),
    maxLength: 500,
    problems,
  })}
  ${textField({ name: "details", label: say("details"), value: typed.text("details"), problems })}
  ${inputField({
    name: "product_ref",
    label: say("product_ref"),
    value: typed.text("product_ref"),
    maxLength: 255,
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

function rulesPart(visit: Visit, say: Say, typed: Typed, problems: Problems): Html {
  return html`${lifeFields(visit, typed, problems)}
  ${selectField({
    name: "collect_fields",
    label: say("collect"),
    options: [
      ["", say("collect_default")],
      ["nothing", say("collect_nothing")],
      ["phone", say("collect_phone")],
      ["address", say("collect_address")],
      ["both", say("collect_both")],
    ],
    value: typed.text("collect_fields"),
    problems,
  })}`;
}

function ownPart(visit: Visit, typed: Typed, problems: Problems): Html {
  const say = sayOfFields(visit.language);
  return html`${inputField({
    name: "reference",
    label: say("reference"),
    help: say("reference_help"),
    value: typed.text("reference"),
    maxLength: 255,
    problems,
  })}
  ${metadataFields(visit, visit.path(PATH), typed, problems)}`;
}
