import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Tenant, UpdateTenantRequestSchema } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { FormProblem } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";

/** The settings form as texts: the submitted values or the stored ones. */
export interface TypedSettings {
  readonly name: string;
  readonly paymentMethods: readonly string[];
  readonly maxInstallments: string;
  readonly settlementDays: string;
  readonly collectFields: readonly string[];
}

const WHOLE_NUMBER = /^\d{1,6}$/;

export function typedOf(tenant: Tenant): TypedSettings {
  const { name, paymentMethods, maxInstallments, settlementDays, collectFields } = tenant;
  return {
    name,
    paymentMethods,
    collectFields,
    maxInstallments: String(maxInstallments),
    settlementDays: String(settlementDays),
  };
}

export function typedIn(visit: Visit): TypedSettings {
  return {
    name: visit.text("name").trim(),
    paymentMethods: visit.texts("payment_methods"),
    maxInstallments: visit.text("max_installments").trim(),
    settlementDays: visit.text("settlement_days").trim(),
    collectFields: visit.texts("collect_fields"),
  };
}

/** Returns the stored settings as text. The form sends it back, which reveals changes made since. */
export function openedAs(tenant: Tenant): string {
  return JSON.stringify(typedOf(tenant));
}

/** Returns only the changed settings, so that the audit log shows what the user changed. Throws FormProblem. */
export function changesOf(
  visit: Visit,
  tenant: Tenant,
  typed: TypedSettings,
): MessageInitShape<typeof UpdateTenantRequestSchema> {
  const t = messagesIn(visit.language);
  // Otherwise this would silently undo another user's change.
  if (visit.text("opened") !== openedAs(tenant)) throw new FormProblem("", t("changed_meanwhile"));
  if (typed.paymentMethods.length === 0) {
    throw new FormProblem("payment_methods", t("payment_methods_none"));
  }
  const count = (field: string, text: string): number => {
    if (!WHOLE_NUMBER.test(text)) throw new FormProblem(field, t("whole_number"));
    return Number(text);
  };
  const maxInstallments = count("max_installments", typed.maxInstallments);
  const settlementDays = count("settlement_days", typed.settlementDays);
  const { name, paymentMethods, collectFields } = typed;
  return {
    tenantId: tenant.id,
    ...(name === tenant.name ? {} : { name }),
    ...(isSameSet(paymentMethods, tenant.paymentMethods)
      ? {}
      : { paymentMethods: { values: [...paymentMethods] } }),
    ...(maxInstallments === tenant.maxInstallments ? {} : { maxInstallments }),
    ...(settlementDays === tenant.settlementDays ? {} : { settlementDays }),
    ...(isSameSet(collectFields, tenant.collectFields)
      ? {}
      : { collectFields: { values: [...collectFields] } }),
  };
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word) => other.includes(word));
}
