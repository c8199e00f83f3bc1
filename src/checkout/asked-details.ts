import type { PaymentLinkRow } from "../links/entities.ts";
import type { PayerField } from "../providers/ports.ts";

/** What a payer is asked for, in the order in which it is stored. No field is in both. */
export interface AskedDetails {
  readonly required: readonly PayerField[];
  readonly optional: readonly PayerField[];
}

// In the order in which they are stored.
const FIELDS = ["name", "email", "document", "phone", "address"] as const satisfies readonly PayerField[];

/** Returns what a link asks its payer for, with what the account needs: that is required in any case. */
export function askedDetails(
  { collectFields, payerFields }: Pick<PaymentLinkRow, "collectFields" | "payerFields">,
  needed: readonly PayerField[],
): AskedDetails {
  const { name, email, tax_id: document } = payerFields;
  const rules: Partial<Record<PayerField, string | undefined>> = { name, email, document };
  const collected: readonly PayerField[] = collectFields;
  const isRequired = (field: PayerField): boolean =>
    rules[field] === "required" || collected.includes(field) || needed.includes(field);
  return {
    required: FIELDS.filter(isRequired),
    optional: FIELDS.filter((field) => rules[field] === "optional" && !isRequired(field)),
  };
}
