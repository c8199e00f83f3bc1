import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Tenant, UpdateTenantRequestSchema } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import type { Sent } from "../form/sent.ts";
import { FormProblem } from "../problems.ts";
import type { MessageKey } from "./messages.ts";

/** Returns the stored settings as text. The form sends it back, which reveals changes made since. */
export function openedAs(tenant: Tenant): string {
  const { name, paymentMethods, maxInstallments, settlementDays, collectFields, payerRetentionDays } = tenant;
  return JSON.stringify({
    name,
    paymentMethods,
    collectFields,
    maxInstallments: String(maxInstallments),
    settlementDays: String(settlementDays),
    payerRetentionDays: String(payerRetentionDays),
  });
}

type SettingName =
  | "opened"
  | "name"
  | "payment_methods"
  | "max_installments"
  | "settlement_days"
  | "payer_retention_days"
  | "collect_fields";
type SentSettings = Sent<MessageKey, SettingName, { readonly tenant: Tenant }>;

/** Returns only the changed settings, so that the audit log shows what the user changed. Throws FormProblem. */
export function changesOf(sent: SentSettings): MessageInitShape<typeof UpdateTenantRequestSchema> {
  const { t, loaded } = sent;
  const { tenant } = loaded;
  // Otherwise this would silently undo another user's change. Looked at first: a form that is shown again begins with the settings of now.
  if (sent.text("opened") !== openedAs(tenant)) throw new FormProblem("", t("changed_meanwhile"));
  const [name, paymentMethods] = [sent.text("name"), sent.texts("payment_methods")];
  const [maxInstallments, settlementDays] = [sent.whole("max_installments"), sent.whole("settlement_days")];
  const payerRetentionDays = sent.whole("payer_retention_days");
  const collectFields = sent.texts("collect_fields");
  return {
    tenantId: tenant.id,
    ...(name === tenant.name ? {} : { name }),
    ...(isSameSet(paymentMethods, tenant.paymentMethods)
      ? {}
      : { paymentMethods: { values: paymentMethods } }),
    ...(maxInstallments === tenant.maxInstallments ? {} : { maxInstallments }),
    ...(settlementDays === tenant.settlementDays ? {} : { settlementDays }),
    ...(payerRetentionDays === tenant.payerRetentionDays ? {} : { payerRetentionDays }),
    ...(isSameSet(collectFields, tenant.collectFields) ? {} : { collectFields: { values: collectFields } }),
  };
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word) => other.includes(word));
}
