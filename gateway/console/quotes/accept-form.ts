import { AcceptQuoteRequestSchema } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { defaultButton } from "../fields/default-button.ts";
import { lifeFields } from "../fields/expiry.ts";
import { metadataFields } from "../fields/metadata.ts";
import { submissionField } from "../fields/submission.ts";
import type { Typed } from "../fields/typed.ts";
import { messagesIn as fieldMessagesIn } from "../fields/messages.ts";
import { limitOf } from "../form/limits.ts";
import { mediaPicker } from "../media/picker.ts";
import { inputField, postForm, textField } from "../parts/form.ts";
import { card } from "../parts/show.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";

const FILLED = AcceptQuoteRequestSchema.field;
const PICTURES_MAX = limitOf(FILLED.mediaUrls, "maxItems");

/** Returns the labels of the fields whose problems do not name them. */
export function acceptLabels({ language }: Visit): ReadonlyMap<string, string> {
  const t = messagesIn(language);
  return new Map([
    ["name", t("name")],
    ["description", t("description")],
    ["reference", fieldMessagesIn(language)("reference")],
    ["payer_country", t("payer_country")],
  ]);
}

/** Returns the form that turns a quote into a link. */
export function acceptForm(visit: Visit, id: string, typed: Typed, problems: Problems): Html {
  const t = messagesIn(visit.language);
  const shared = fieldMessagesIn(visit.language);
  const action = visit.path(`/quotes/${id}/accept`);
  return card(
    t("accept_title"),
    html`<p>${t("accept_text")}</p>
      ${postForm(
        visit,
        action,
        html`${defaultButton(t("accept"))} ${submissionField()}
          ${inputField({
            name: "name",
            label: t("name"),
            help: t("name_help"),
            value: typed.text("name"),
            isRequired: true,
            maxLength: limitOf(FILLED.name, "maxLength"),
            problems,
          })}
          ${textField({
            name: "description",
            label: t("description"),
            value: typed.text("description"),
            problems,
          })}
          ${mediaPicker(visit, { name: "media_urls", chosen: typed.texts("media_urls"), max: PICTURES_MAX })}
          ${textField({
            name: "media_urls",
            label: shared("pictures_more"),
            help: shared("pictures_own_help"),
            value: typed.lines("media_urls"),
            problems,
          })}
          ${lifeFields(visit, typed, problems)}
          <div class="pair">
            ${inputField({
              name: "reference",
              label: shared("reference"),
              help: shared("reference_help"),
              value: typed.text("reference"),
              maxLength: limitOf(FILLED.reference, "maxLength"),
              problems,
            })}
            ${inputField({
              name: "payer_country",
              label: t("payer_country"),
              help: t("payer_country_help"),
              value: typed.text("payer_country"),
              maxLength: 2,
              problems,
            })}
          </div>
          ${metadataFields(visit, action, typed, problems)}
          <button class="primary">${t("accept")}</button>`,
      )}`,
  );
}
