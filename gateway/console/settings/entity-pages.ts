import type { LegalEntity } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { inputField, passwordField, postForm, problemList, selectField } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";

const SECTION = "/settings";

export function renamePage(visit: Visit, { id }: LegalEntity, problems: Problems, name: string): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("rename_title"),
    section: SECTION,
    trail: { path: SECTION, title: t("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        ${postForm(
          visit,
          visit.path(`/settings/entities/${id}`),
          html`${inputField({ name: "name", label: t("entity_name"), value: name, isRequired: true, maxLength: 200, problems })}
            <div class="actions">
              <button class="primary">${visit.t("save")}</button>
              <a class="button" href="${visit.path(SECTION)}">${visit.t("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
}

/** Returns the page that asks for the new legal entity in place of this one. */
export function replacePage(visit: Visit, entity: LegalEntity, problems: Problems): Html {
  const t = messagesIn(visit.language);
  const other = entity.payoutCurrency === "USD" ? "BRL" : "USD";
  return consolePage(visit, {
    title: t("replace_title"),
    section: SECTION,
    trail: { path: SECTION, title: t("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        <p>${t("replace_lead", { name: entity.name })}</p>
        ${postForm(
          visit,
          visit.path(`/settings/entities/${entity.id}/replace`),
          html`${inputField({ name: "name", label: t("entity_name"), value: visit.text("name") || entity.name, isRequired: true, maxLength: 200, problems })}
            ${selectField({
              name: "payout_currency",
              label: t("currency"),
              options: [
                ["BRL", t("brl")],
                ["USD", t("usd")],
              ],
              value: visit.text("payout_currency") || other,
              problems,
            })}
            ${passwordField(visit, problems)}
            <div class="actions">
              <button class="primary">${visit.t("save")}</button>
              <a class="button" href="${visit.path(SECTION)}">${visit.t("cancel")}</a>
            </div>`,
        )}
      </section>`,
  });
}
