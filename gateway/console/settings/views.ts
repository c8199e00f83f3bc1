import { html } from "hono/html";
import type { LegalEntity, Tenant } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { choiceField, inputField, postForm, problemList, type Option } from "../parts/form.ts";
import { badge, facts } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { openedAs, type TypedSettings } from "./typed.ts";
import { sayIn, type Say, type Word } from "./words.ts";

const SECTION = "/settings";
const METHODS = ["pix", "card", "ted"] as const;
const FIELDS = ["phone", "address"] as const;
const DONE: Readonly<Record<string, Word>> = { saved: "saved", renamed: "renamed", replaced: "replaced" };

/** A tenant with its legal entities. */
export interface Settings {
  readonly tenant: Tenant;
  readonly legalEntities: readonly LegalEntity[];
}

/** The settings: a form for whoever may change them, else how they stand. */
export function settingsPage(
  visit: Visit,
  { tenant, legalEntities }: Settings,
  problems: Problems,
  typed: TypedSettings,
): Html {
  const say = sayIn(visit.language);
  const mayWrite = visit.can("settings.write");
  return consolePage(visit, {
    title: say("title"),
    section: SECTION,
    content: html`${doneNotice(visit, say, DONE)}
      <p class="quiet">${say("lead")}${mayWrite ? "" : ` ${say("read_only")}`}</p>
      ${problemList(visit, problems)}
      <section class="card slim">
        <h2>${say("company")}</h2>
        ${mayWrite ? form(visit, say, tenant, problems, typed) : standing(visit, say, tenant)}
      </section>
      <h2>${say("entities")}</h2>
      ${entityTable(visit, say, legalEntities, mayWrite)}`,
  });
}

function form(visit: Visit, say: Say, tenant: Tenant, problems: Problems, typed: TypedSettings): Html {
  const methods = METHODS.map((method): Option => [method, visit.say(method)]);
  const fields = FIELDS.map((field): Option => [field, say(field)]);
  return postForm(
    visit,
    visit.path(`${SECTION}/company`),
    html`<input
        type="hidden"
        name="opened"
        value="${openedAs(tenant)}"
      />${inputField({ name: "name", label: say("name"), value: typed.name, isRequired: true, maxLength: 200, problems })}
      ${choiceField({ kind: "checkbox", name: "payment_methods", label: say("payment_methods"), options: methods, chosen: typed.paymentMethods, problems })}
      ${numberField(say, "max_installments", typed.maxInstallments, problems)}
      ${numberField(say, "settlement_days", typed.settlementDays, problems)}
      ${choiceField({ kind: "checkbox", name: "collect_fields", label: say("collect_fields"), options: fields, chosen: typed.collectFields, problems })}
      <button class="primary">${visit.say("save")}</button>`,
  );
}

function numberField(
  say: Say,
  name: "max_installments" | "settlement_days",
  value: string,
  problems: Problems,
): Html {
  return inputField({
    name,
    label: say(name),
    help: say(`${name}_help`),
    value,
    inputmode: "numeric",
    isRequired: true,
    maxLength: 6,
    problems,
  });
}

function standing(visit: Visit, say: Say, tenant: Tenant): Html {
  const { id, name, paymentMethods, maxInstallments, settlementDays, collectFields } = tenant;
  const methods = METHODS.filter((method) => paymentMethods.includes(method));
  const fields = FIELDS.filter((field) => collectFields.includes(field));
  return facts([
    [say("name"), name],
    [say("id"), html`<code class="id">${id}</code>`],
    [say("payment_methods"), methods.map((method) => visit.say(method)).join(", ")],
    [say("max_installments"), String(maxInstallments)],
    [say("settlement_days"), say("settlement_value", { days: settlementDays })],
    [say("collect_fields"), fields.map((field) => say(field)).join(", ") || say("collect_none")],
  ]);
}

function entityTable(visit: Visit, say: Say, entities: readonly LegalEntity[], mayWrite: boolean): Html {
  const titles = [say("entity_name"), say("currency"), say("state"), ...(mayWrite ? [say("actions")] : [])];
  return table({
    caption: say("entities"),
    columns: titles.map((title) => ({ title })),
    rows: entities.map(({ id, name, payoutCurrency, isActive }) => [
      html`${name} <br /><code class="id quiet">${id}</code>`,
      payoutCurrency,
      isActive ? badge("good", say("active")) : badge("plain", say("inactive")),
      ...(mayWrite
        ? [
            html`<a
                class="button"
                href="${visit.path(`/settings/entities/${id}`)}"
                aria-label="${say("rename")} ${name}"
                >${say("rename")}</a
              >${
                isActive
                  ? html` <a
                      class="button"
                      href="${visit.path(`/settings/entities/${id}/replace`)}"
                      aria-label="${say("replace")} ${name}"
                      >${say("replace")}</a
                    >`
                  : ""
              }`,
          ]
        : []),
    ]),
    empty: html`<p>${say("no_entities")}</p>`,
  });
}
