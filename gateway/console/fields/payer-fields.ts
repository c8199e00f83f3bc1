import type { MessageInitShape } from "@bufbuild/protobuf";
import { defined } from "../../../contract/defined.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import {
  PayerFieldRule,
  type PayerFields,
  type PayerFieldsSchema,
} from "../../../gen/paylink/identity/v1/identity_pb.ts";
import type { Language } from "../../pages/language.ts";
import { messagesIn } from "./messages.ts";
import type { Option } from "../parts/form.ts";

const rules = wordsOf(PayerFieldRule);
/** The fields of forms that say what payers are asked for, one a detail. */
const ASKED = { payer_name: "name", payer_email: "email", payer_tax_id: "taxId" } as const;
export type AskedName = keyof typeof ASKED;
export const ASKED_NAMES = Object.keys(ASKED) as AskedName[];
/** The choice that asks for nothing. */
const NOT_ASKED = "no";

/** Returns the choices of one detail. */
export function askedOptions(language: Language): readonly Option[] {
  const t = messagesIn(language);
  return [
    [NOT_ASKED, t("asked_no")],
    ["optional", t("asked_optional")],
    ["required", t("asked_required")],
  ];
}

/** Returns the choice of each detail. */
export function askedWords(fields: PayerFields | undefined): Readonly<Record<AskedName, string>> {
  const wordOf = (name: AskedName): string => rules.wordOf(fields?.[ASKED[name]]) ?? NOT_ASKED;
  return {
    payer_name: wordOf("payer_name"),
    payer_email: wordOf("payer_email"),
    payer_tax_id: wordOf("payer_tax_id"),
  };
}

/** Returns the request's part of the choices. */
export function askedFields(
  words: Readonly<Record<AskedName, string>>,
): MessageInitShape<typeof PayerFieldsSchema> {
  return defined({
    name: rules.numberOf(words.payer_name),
    email: rules.numberOf(words.payer_email),
    taxId: rules.numberOf(words.payer_tax_id),
  });
}

/** Returns what is asked for as text: "Full name, CPF or CNPJ (optional)", or "" for nothing. */
export function askedText(language: Language, fields: PayerFields | undefined): string {
  const t = messagesIn(language);
  const words = askedWords(fields);
  return ASKED_NAMES.filter((name) => words[name] !== NOT_ASKED)
    .map((name) => (words[name] === "optional" ? t("asked_if_given", { label: t(name) }) : t(name)))
    .join(", ");
}
