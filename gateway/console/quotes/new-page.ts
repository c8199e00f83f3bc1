import { defined } from "../../../contract/defined.ts";
import { CreateQuoteRequestSchema } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { defaultButton } from "../fields/default-button.ts";
import { submissionField } from "../fields/submission.ts";
import type { Typed } from "../fields/typed.ts";
import { limitOf } from "../form/limits.ts";
import { consolePage } from "../frame.ts";
import { inputField, postForm, problemList, selectField } from "../parts/form.ts";
import { card } from "../parts/show.ts";
import { installmentsField, pricedFields } from "../prices/fields.ts";
import { installmentsOf, previewOf } from "../prices/preview.ts";
import { pricesPart } from "../prices/view.ts";
import { methodOf } from "../prices/payment-option.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type Translate } from "./messages.ts";

/** Returns the prices of the form's quote by each payment option, with the fields filled in so far. */
export async function quotePrices(visit: Visit, typed: Typed): Promise<Html> {
  const method = methodOf(typed.text("payment_method"));
  const most = installmentsOf(typed.text("installments"));
  const preview = await previewOf(visit, typed, {
    ...(method === undefined ? {} : { paymentMethods: [method] }),
    ...defined({ maxInstallments: most }),
  });
  return pricesPart(visit, preview, { kind: "quote" });
}

/** Returns the form of a new quote, with its values and problems. */
export async function newPage(visit: Visit, typed: Typed, problems: Problems = NO_PROBLEMS): Promise<Html> {
  const t = messagesIn(visit.language);
  const prices = await quotePrices(visit, typed);
  return consolePage(visit, {
    title: t("new_title"),
    section: "/quotes",
    trail: { path: "/quotes", title: t("title") },
    content: html`<p>${t("lead")}</p>
      ${problemList(visit, problems, new Map([["payment_intent_id", t("intent")]]))}
      ${postForm(
        visit,
        visit.path("/quotes/new"),
        html`${defaultButton(t("create"))} ${submissionField()}
          ${card(t("part_price"), fields(visit, t, typed, problems))} ${prices}
          <div class="buttons"><button class="primary">${t("create")}</button></div>`,
      )}`,
  });
}

function fields(visit: Visit, t: Translate, typed: Typed, problems: Problems): Html {
  const methods = html`<div class="pair">
    ${selectField({
      name: "payment_method",
      label: t("method"),
      options: [
        ["", t("all_ways")],
        ["pix", visit.t("pix")],
        ["card", visit.t("card")],
        ["ted", visit.t("ted")],
      ],
      value: typed.text("payment_method"),
      problems,
    })}
    ${installmentsField(visit, "installments", t("installments"), typed, problems)}
  </div>`;
  const after = html`${inputField({
    name: "payment_intent_id",
    label: t("intent"),
    help: t("intent_help"),
    value: typed.text("payment_intent_id"),
    maxLength: limitOf(CreateQuoteRequestSchema.field.paymentIntentId, "maxLength"),
    problems,
  })}`;
  return pricedFields(visit, visit.path("/quotes/prices"), typed, problems, {
    methods,
    after,
    usualFees: "rule",
  });
}
