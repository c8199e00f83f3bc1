import {
  RenameLegalEntityRequestSchema,
  ReplaceLegalEntityRequestSchema,
  UpdateTenantRequestSchema,
  type LegalEntity,
  type Tenant,
} from "../../../gen/paylink/identity/v1/identity_pb.ts";
import {
  ASKED_NAMES,
  askedFields,
  askedOptions,
  askedWords,
  type AskedName,
} from "../fields/payer-fields.ts";
import { form } from "../form/form.ts";
import type { Option } from "../parts/form.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { METHODS, PAYER_FIELDS, settingsPage, type Settings } from "./views.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { logoRoute, profileForm } from "./profile.ts";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Sent } from "../form/sent.ts";
import { FormProblem } from "../problems.ts";

type SettingName =
  | "opened"
  | "name"
  | "payment_methods"
  | "max_installments"
  | "settlement_days"
  | "payer_retention_days"
  | "exception_refund_hours"
  | "collect_fields"
  | AskedName;
type SentSettings = Sent<MessageKey, SettingName, { readonly tenant: Tenant }>;

const ROOM = { permission: "settings.write", section: "/settings", messages: messagesIn } as const;
const ENTITY = "/settings/entities/:id";

/** Adds the pages of the company's settings, which are the same in both environments. */
export function settingsRoom(routes: ConsoleRoutes): void {
  form(routes, {
    ...ROOM,
    path: "/settings/company",
    title: "title",
    request: UpdateTenantRequestSchema,
    fields: {
      opened: { kind: "hidden" },
      name: { kind: "text", label: "name" },
      payment_methods: {
        kind: "checkbox",
        label: "payment_methods",
        options: (_, visit) => METHODS.map((method) => [method, visit.t(method)]),
        missing: "payment_methods_none",
      },
      max_installments: { kind: "number", label: "max_installments", help: "max_installments_help" },
      settlement_days: { kind: "number", label: "settlement_days", help: "settlement_days_help" },
      payer_retention_days: {
        kind: "number",
        label: "payer_retention_days",
        help: "payer_retention_days_help",
      },
      exception_refund_hours: {
        kind: "number",
        label: "exception_refund_hours",
        help: "exception_refund_hours_help",
      },
      collect_fields: {
        kind: "checkbox",
        label: "collect_fields",
        options: (t) => PAYER_FIELDS.map((field) => [field, t(field)]),
      },
      payer_name: askedOfPayer("payer_name_asked"),
      payer_email: askedOfPayer("payer_email_asked"),
      payer_tax_id: askedOfPayer("payer_tax_id_asked"),
    },
    load: settingsOf,
    initial: ({ tenant }) => ({
      opened: openedAs(tenant),
      name: tenant.name,
      payment_methods: tenant.paymentMethods,
      max_installments: String(tenant.maxInstallments),
      settlement_days: String(tenant.settlementDays),
      payer_retention_days: String(tenant.payerRetentionDays),
      exception_refund_hours: String(tenant.exceptionRefundHours),
      collect_fields: tenant.collectFields,
      ...askedWords(tenant.payerFields),
    }),
    act: async ({ core, as }, sent) => {
      await core.identity.updateTenant(changesOf(sent), as);
      return "/settings?done=saved";
    },
    page: { path: "/settings", permission: "settings.read", show: settingsPage },
  });
  logoRoute(routes);
  profileForm(routes, async (visit) => (await settingsOf(visit)).tenant);
  form(routes, {
    ...ROOM,
    path: ENTITY,
    title: "rename_title",
    request: RenameLegalEntityRequestSchema,
    fields: { name: { kind: "text", label: "entity_name" } },
    load: entityOf,
    initial: ({ name }) => ({ name }),
    act: async ({ core, tenantId, as }, sent) => {
      const request = { tenantId, id: sent.loaded.id, name: sent.text("name") };
      await core.identity.renameLegalEntity(request, as);
      return "/settings?done=renamed";
    },
  });
  form(routes, {
    ...ROOM,
    path: `${ENTITY}/replace`,
    title: "replace_title",
    text: "replace_lead",
    request: ReplaceLegalEntityRequestSchema,
    fields: {
      name: { kind: "text", label: "entity_name" },
      payout_currency: {
        kind: "select",
        label: "currency",
        options: (t) => [
          ["BRL", t("brl")],
          ["USD", t("usd")],
        ],
      },
    },
    load: entityOf,
    values: ({ name }) => ({ name }),
    initial: ({ name, payoutCurrency }) => ({
      name,
      payout_currency: payoutCurrency === "USD" ? "BRL" : "USD",
    }),
    asksPassword: true,
    act: async ({ core, tenantId, as }, sent) => {
      const [name, payoutCurrency] = [sent.text("name"), sent.text("payout_currency")];
      await core.identity.replaceLegalEntity({ tenantId, id: sent.loaded.id, name, payoutCurrency }, as);
      return "/settings?done=replaced";
    },
  });
}

async function settingsOf(visit: Visit): Promise<Settings> {
  const { tenantId, core, as } = visit;
  const { tenant, legalEntities } = await core.identity.getTenant({ tenantId }, as);
  if (!tenant) throw new Refused("unknown", visit);
  return { tenant, legalEntities };
}

/** Returns the legal entity in the path. Throws Refused when the company has no such entity. */
async function entityOf(visit: Visit): Promise<LegalEntity> {
  const { legalEntities } = await settingsOf(visit);
  const entity = legalEntities.find(({ id }) => id === visit.part("id"));
  if (!entity) throw new Refused("unknown", visit);
  return entity;
}

/** Returns the stored settings as text. The form sends it back, which reveals changes made since. */
function openedAs(tenant: Tenant): string {
  const { name, paymentMethods, maxInstallments, settlementDays, collectFields, payerRetentionDays } = tenant;
  return JSON.stringify({
    name,
    paymentMethods,
    collectFields,
    maxInstallments: String(maxInstallments),
    settlementDays: String(settlementDays),
    payerRetentionDays: String(payerRetentionDays),
    exceptionRefundHours: String(tenant.exceptionRefundHours),
    ...askedWords(tenant.payerFields),
  });
}

/** Returns only the changed settings, so that the audit log shows what the user changed. Throws FormProblem. */
function changesOf(sent: SentSettings): MessageInitShape<typeof UpdateTenantRequestSchema> {
  const { t, loaded } = sent;
  const { tenant } = loaded;
  // Otherwise this would silently undo another user's change. Looked at first: a form that is shown again begins with the settings of now.
  if (sent.text("opened") !== openedAs(tenant)) throw new FormProblem("", t("changed_meanwhile"));
  const [name, paymentMethods] = [sent.text("name"), sent.texts("payment_methods")];
  const [maxInstallments, settlementDays] = [sent.whole("max_installments"), sent.whole("settlement_days")];
  const payerRetentionDays = sent.whole("payer_retention_days");
  const exceptionRefundHours = sent.whole("exception_refund_hours");
  const collectFields = sent.texts("collect_fields");
  const asked = {
    payer_name: sent.choice("payer_name"),
    payer_email: sent.choice("payer_email"),
    payer_tax_id: sent.choice("payer_tax_id"),
  };
  const before = askedWords(tenant.payerFields);
  return {
    tenantId: tenant.id,
    ...(name === tenant.name ? {} : { name }),
    ...(isSameSet(paymentMethods, tenant.paymentMethods)
      ? {}
      : { paymentMethods: { values: paymentMethods } }),
    ...(maxInstallments === tenant.maxInstallments ? {} : { maxInstallments }),
    ...(settlementDays === tenant.settlementDays ? {} : { settlementDays }),
    ...(payerRetentionDays === tenant.payerRetentionDays ? {} : { payerRetentionDays }),
    ...(exceptionRefundHours === tenant.exceptionRefundHours ? {} : { exceptionRefundHours }),
    ...(isSameSet(collectFields, tenant.collectFields) ? {} : { collectFields: { values: collectFields } }),
    ...(ASKED_NAMES.every((one) => asked[one] === before[one]) ? {} : { payerFields: askedFields(asked) }),
  };
}

/** Returns the field of one detail that payers are asked for. */
function askedOfPayer(label: MessageKey) {
  return { kind: "select", label, fills: null, options: optionsOfAsked } as const;
}

function optionsOfAsked(_: unknown, { language }: Visit): readonly Option[] {
  return askedOptions(language);
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word) => other.includes(word));
}
