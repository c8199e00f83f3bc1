import { create } from "@bufbuild/protobuf";
import { defined } from "../../contract/defined.ts";
import { wordsOf, type WordOf } from "../../contract/enum-words.ts";
import {
  PayerFieldRule,
  PayerFieldsSchema,
  type PayerFields,
} from "../../gen/paylink/identity/v1/identity_pb.ts";

/** What payers are asked to give, as it is stored: each detail is required or optional. */
export interface PayerRules {
  readonly name?: WordOf<typeof PayerFieldRule>;
  readonly email?: WordOf<typeof PayerFieldRule>;
  readonly tax_id?: WordOf<typeof PayerFieldRule>;
}

const rules = wordsOf(PayerFieldRule);

export function fromPayerFields({ name, email, taxId }: PayerFields): PayerRules {
  return defined({ name: rules.wordOf(name), email: rules.wordOf(email), tax_id: rules.wordOf(taxId) });
}

export function toPayerFieldsMessage({ name, email, tax_id: taxId }: PayerRules): PayerFields {
  const { numberOf } = rules;
  return create(PayerFieldsSchema, {
    ...defined({ name: numberOf(name), email: numberOf(email), taxId: numberOf(taxId) }),
  });
}
