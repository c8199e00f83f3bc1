import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CollectField } from "../../../gen/paylink/links/v1/links_pb.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import type { LegalEntity, Tenant } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { choiceField, inputField, postForm, problemList, type Option } from "../parts/form.ts";
import { badge, facts } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { openedAs, type TypedSettings } from "./typed.ts";
import { messagesIn, type Translate, type MessageKey } from "./messages.ts";

const SECTION = "/settings";
const METHODS = wordsOf(PaymentMethod).all;
const FIELDS = wordsOf(CollectField).all;
const DONE: Readonly<Record<string, MessageKey>> = {
  saved: "saved",
  renamed: "renamed",
  replaced: "replaced",
};

/** A tenant with its legal entities. */
export interface Settings {
  readonly tenant: Tenant;
  readonly legalEntities: readonly LegalEntity[];
}

/** Returns the settings page: a form if the user may change them, else the values. */
export function settingsPage(
  visit: Visit,
  { tenant, legalEntities }: Settings,
  problems: Problems,
  typed: TypedSettings,
): Html {
  const t = messagesIn(visit.language);
  const mayWrite = visit.can("settings.write");
  return consolePage(visit, {
    title: t("title"),
    section: SECTION,
    content: html`${doneNotice(visit, t, DONE)}
      <p class="quiet">${t("lead")}${mayWrite ? "" : ` ${t("read_only")}`}</p>
      ${problemList(visit, problems)}
      <section class="card slim">
        <h2>${t("company")}</h2>
        ${mayWrite ? form(visit, t, tenant, problems, typed) : standing(visit, t, tenant)}
      </section>
      <h2>${t("entities")}</h2>
      ${entityTable(visit, t, legalEntities, mayWrite)}`,
  });
}

function form(visit: Visit, t: Translate, tenant: Tenant, problems: Problems, typed: TypedSettings): Html {
  const methods = METHODS.map((method): Option => [method, visit.t(method)]);
  const fields = FIELDS.map((field): Option => [field, t(field)]);
  return postForm(
    visit,
    visit.path(`${SECTION}/company`),
    html`<input
        type="hidden"
        name="opened"
        value="${openedAs(tenant)}"
      />${inputField({ name: "name", label: t("name"), value: typed.name, isRequired: true, maxLength: 200, problems })}
      ${choiceField({ kind: "checkbox", name: "payment_methods", label: t("payment_methods"), options: methods, chosen: typed.paymentMethods, problems })}
      ${numberField(t, "max_installments", typed.maxInstallments, problems)}
      ${numberField(t, "settlement_days", typed.settlementDays, problems)}
      ${choiceField({ kind: "checkbox", name: "collect_fields", label: t("collect_fields"), options: fields, chosen: typed.collectFields, problems })}
      <button class="primary">${visit.t("save")}</button>`,
  );
}

function numberField(
  t: Translate,
  name: "max_installments" | "settlement_days",
  value: string,
  problems: Problems,
): Html {
  return inputField({
    name,
    label: t(name),
    help: t(`${name}_help`),
    value,
    inputmode: "numeric",
    isRequired: true,
    maxLength: 6,
    problems,
  });
}

function standing(visit: Visit, t: Translate, tenant: Tenant): Html {
  const { id, name, paymentMethods, maxInstallments, settlementDays, collectFields } = tenant;
  const methods = METHODS.filter((method) => paymentMethods.includes(method));
  const fields = FIELDS.filter((field) => collectFields.includes(field));
  return facts([
    [t("name"), name],
    [t("id"), html`<code class="id">${id}</code>`],
    [t("payment_methods"), methods.map((method) => visit.t(method)).join(", ")],
    [t("max_installments"), String(maxInstallments)],
    [t("settlement_days"), t("settlement_value", { days: settlementDays })],
    [t("collect_fields"), fields.map((field) => t(field)).join(", ") || t("collect_none")],
  ]);
}

function entityTable(visit: Visit, t: Translate, entities: readonly LegalEntity[], mayWrite: boolean): Html {
  const titles = [t("entity_name"), t("currency"), t("state"), ...(mayWrite ? [t("actions")] : [])];
  return table({
    caption: t("entities"),
    columns: titles.map((title) => ({ title })),
    rows: entities.map(({ id, name, payoutCurrency, isActive }) => [
      html`${name} <br /><code class="id quiet">${id}</code>`,
      payoutCurrency,
      isActive ? badge("good", t("active")) : badge("plain", t("inactive")),
      ...(mayWrite
        ? [
            html`<a
                class="button"
                href="${visit.path(`/settings/entities/${id}`)}"
                aria-label="${t("rename")} ${name}"
                >${t("rename")}</a
              >${
                isActive
                  ? html` <a
                      class="button"
                      href="${visit.path(`/settings/entities/${id}/replace`)}"
                      aria-label="${t("replace")} ${name}"
                      >${t("replace")}</a
                    >`
                  : ""
              }`,
          ]
        : []),
    ]),
    empty: html`<p>${t("no_entities")}</p>`,
  });
}
