import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";
import { defaultButton } from "../fields/default-button.ts";
import { submissionField } from "../fields/submission.ts";
import type { Typed } from "../fields/typed.ts";
import { consolePage } from "../frame.ts";
import { inputField, postForm, problemList, selectField } from "../parts/form.ts";
import { card } from "../parts/show.ts";
import { installmentsField, pricedFields } from "../prices/fields.ts";
import { installmentsOf, previewOf } from "../prices/preview.ts";
import { pricesPart } from "../prices/view.ts";
import { methodOf } from "../prices/way.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { sayIn, type Say } from "./words.ts";

/** What the form's quote would be by each way, as it is filled in so far. */
export async function quotePrices(visit: Visit, typed: Typed): Promise<Html> {
  const method = methodOf(typed.text("payment_method"));
  const most = installmentsOf(typed.text("installments"));
  const preview = await previewOf(visit, typed, {
    ...(method === undefined ? {} : { paymentMethods: [method] }),
    ...(most === undefined ? {} : { maxInstallments: most }),
  });
  return pricesPart(visit, preview, { kind: "quote" });
}

/** The form of a new quote, with what was typed and what is wrong with it. */
export async function newPage(visit: Visit, typed: Typed, problems: Problems = NO_PROBLEMS): Promise<Html> {
  const say = sayIn(visit.language);
  const prices = await quotePrices(visit, typed);
  return consolePage(visit, {
    title: say("new_title"),
    section: "/quotes",
    trail: { path: "/quotes", title: say("title") },
    content: html`<p>${say("lead")}</p>
      ${problemList(visit, problems)}
      ${postForm(
        visit,
        visit.path("/quotes/new"),
        html`${defaultButton(say("create"))} ${submissionField()}
          ${card(say("part_price"), fields(visit, say, typed, problems))} ${prices}
          <div class="buttons"><button class="primary">${say("create")}</button></div>`,
      )}`,
  });
}

function fields(visit: Visit, say: Say, typed: Typed, problems: Problems): Html {
  const methods = html`<div class="pair">
    ${selectField({
      name: "payment_method",
      label: say("method"),
      options: [
        ["", say("all_ways")],
        ["pix", visit.say("pix")],
        ["card", visit.say("card")],
        ["ted", visit.say("ted")],
      ],
      value: typed.text("payment_method"),
      problems,
    })}
    ${installmentsField(visit, "installments", say("installments"), typed, problems)}
  </div>`;
  const after = html`${inputField({
    name: "payment_intent_id",
    label: say("intent"),
    help: say("intent_help"),
    value: typed.text("payment_intent_id"),
    maxLength: 64,
    problems,
  })}`;
  return pricedFields(visit, visit.path("/quotes/prices"), typed, problems, {
    methods,
    after,
    usualFees: "rule",
  });
}
