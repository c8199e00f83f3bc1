import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CollectField } from "../../../gen/paylink/links/v1/links_pb.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import type { LegalEntity, Tenant } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { currencySymbol } from "../../../contract/money-text.ts";
import { html, type Html } from "../../pages/html.ts";
import { askedText } from "../fields/payer-fields.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, facts } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { profileFacts } from "./profile.ts";
import { messagesIn, type Translate, type MessageKey } from "./messages.ts";

const SECTION = "/settings";
export const METHODS = wordsOf(PaymentMethod).all;
export const PAYER_FIELDS = wordsOf(CollectField).all;
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

/** Returns the settings page: the form if the user may change them, else the values. */
export async function settingsPage(
  visit: Visit,
  form: Html,
  problems: Html | "",
  { tenant, legalEntities }: Settings,
): Promise<Html> {
  const t = messagesIn(visit.language);
  const mayWrite = visit.can("settings.write");
  return consolePage(visit, {
    title: t("title"),
    section: SECTION,
    content: html`${doneNotice(visit, t, DONE)}
      <p class="quiet">${t("lead")}${mayWrite ? "" : ` ${t("read_only")}`}</p>
      ${problems}
      <section class="card slim">
        <h2>${t("company")}</h2>
        ${mayWrite ? html`${form} ${facts(operatorFacts(t, tenant))}` : standing(visit, t, tenant)}
      </section>
      <section class="card slim">
        <h2>${t("profile")}</h2>
        ${profileCard(visit, t, tenant, mayWrite)}
      </section>
      <h2>${t("entities")}</h2>
      ${entityTable(visit, t, legalEntities, mayWrite)}`,
  });
}

/** Returns how the company presents itself to payers. */
function profileCard(visit: Visit, t: Translate, tenant: Tenant, mayWrite: boolean): Html {
  const given = profileFacts(tenant).map(([label, text]): [string, string] => [t(label), text]);
  return html`${given.length > 0 ? facts(given) : html`<p>${t("profile_none")}</p>`}
  ${mayWrite ? html`<p><a class="button" href="${visit.path("/settings/profile")}">${t("profile_change")}</a></p>` : ""}`;
}

function standing(visit: Visit, t: Translate, tenant: Tenant): Html {
  const { id, name, paymentMethods, maxInstallments, settlementDays, collectFields } = tenant;
  const { payerRetentionDays: kept, exceptionRefundHours: hours } = tenant;
  const methods = METHODS.filter((method) => paymentMethods.includes(method));
  const ruled = askedText(visit.language, tenant.payerFields);
  const asked = ruled === "" ? [] : [ruled];
  const fields = PAYER_FIELDS.filter((field) => collectFields.includes(field));
  return facts([
    [t("name"), name],
    [t("id"), html`<code class="id">${id}</code>`],
    [t("payment_methods"), methods.map((method) => visit.t(method)).join(", ")],
    [t("max_installments"), String(maxInstallments)],
    [t("settlement_days"), t("settlement_value", { days: settlementDays })],
    ...operatorFacts(t, tenant),
    [
      t("payer_retention_days"),
      kept === 0 ? t("payer_retention_none") : t("payer_retention_value", { days: kept }),
    ],
    [
      t("exception_refund_hours"),
      hours === 0 ? t("exception_refund_never") : t("exception_refund_value", { hours }),
    ],
    [t("collect_fields"), [...asked, ...fields.map((field) => t(field))].join(", ") || t("collect_none")],
  ]);
}

/** Returns what the operator decides: who bears the fee of refunds, and the least settlement term. */
function operatorFacts(
  t: Translate,
  { refundFee, leastSettlementDays: days }: Tenant,
): (readonly [string, string])[] {
  const word = refundFee === "service" ? "refund_fee_service" : "refund_fee_merchant";
  return [
    [t("refund_fee"), `${t(word)} ${t("operator_decides")}`],
    [t("least_settlement_days"), `${t("settlement_value", { days })}. ${t("operator_decides")}`],
  ];
}

function entityTable(visit: Visit, t: Translate, entities: readonly LegalEntity[], mayWrite: boolean): Html {
  const titles = [t("entity_name"), t("currency"), t("state"), ...(mayWrite ? [t("actions")] : [])];
  return table({
    caption: t("entities"),
    columns: titles.map((title) => ({ title })),
    rows: entities.map(({ id, name, payoutCurrency, isActive }) => [
      html`${name} <br /><code class="id quiet">${id}</code>`,
      currencySymbol(payoutCurrency),
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
