import type { MessageInitShape } from "@bufbuild/protobuf";
import { defaultNumber } from "../../../contract/field-default.ts";
import {
  CollectField,
  CreatePaymentLinkRequestSchema,
  UpdatePaymentLinkRequestSchema,
  type PaymentLink,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod, FeeHandling } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { defined } from "../../../contract/defined.ts";
import { usualMethods } from "./usual-methods.ts";
import { amountOf, currencyOf } from "../fields/amount.ts";
import { lifeOf } from "../fields/expiry.ts";
import { addressesOf, given } from "../fields/given.ts";
import { metadataOf } from "../fields/metadata.ts";
import { ASKED_NAMES, askedFields, askedWords, type AskedName } from "../fields/payer-fields.ts";
import { Typed } from "../fields/typed.ts";
import { webAddress } from "../../../contract/web-address.ts";
import { textFaults } from "../form/faults.ts";
import { limitOf } from "../form/limits.ts";
import { feeHandlingOf, installmentsOf } from "../prices/preview.ts";
import { methodOf, methodWord } from "../prices/payment-option.ts";
import { allProblems, FormProblem, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";
import { decimalText, MINOR_DIGITS } from "../../../contract/decimal.ts";

const COLLECTS: ReadonlyMap<string, readonly CollectField[]> = new Map([
  ["nothing", []],
  ["phone", [CollectField.PHONE]],
  ["address", [CollectField.ADDRESS]],
  ["both", [CollectField.PHONE, CollectField.ADDRESS]],
]);

/** Returns the selected methods. */
export function methodsOf(typed: Typed): PaymentMethod[] {
  return typed.texts("payment_methods").flatMap((word) => methodOf(word) ?? []);
}

/** The core's maximum of installments where the form selects none. */
const USUAL_MOST = defaultNumber(CreatePaymentLinkRequestSchema.field.maxInstallments);

/** Returns the maximum of installments of the form's link, or undefined without cards. */
export function linkMost(typed: Typed): number | undefined {
  return methodsOf(typed).includes(PaymentMethod.CARD) ? (mostOf(typed) ?? USUAL_MOST) : undefined;
}

/** Returns the selected maximum of installments, or undefined without cards. */
function mostOf(typed: Typed): number | undefined {
  return methodsOf(typed).includes(PaymentMethod.CARD)
    ? installmentsOf(typed.text("max_installments"))
    : undefined;
}

const FILLED = CreatePaymentLinkRequestSchema.field;

/** Returns all that is wrong with the form by itself. */
export function linkFaults(visit: Visit, typed: Typed): Problems {
  const { description, details, productRef, reference } = FILLED;
  // Left empty, it is not sent.
  const { successMessage } = UpdatePaymentLinkRequestSchema.field;
  return new Map([
    ...allProblems([
      () => requiredMethods(visit, typed),
      () => amountOf(visit, typed),
      () => lifeOf(visit, typed),
      () => metadataOf(visit, typed),
      () => requiredSuccessUrl(visit, typed.text("success_url")),
    ]),
    ...textFaults(visit, {
      description: [description, typed.text("description")],
      details: [details, typed.text("details")],
      product_ref: [productRef, typed.text("product_ref")],
      reference: [reference, typed.text("reference")],
      success_message: [successMessage, typed.text("success_message")],
    }),
  ]);
}

function requiredMethods(visit: Visit, typed: Typed): PaymentMethod[] {
  const methods = methodsOf(typed);
  if (methods.length > 0) return methods;
  throw new FormProblem("payment_methods", messagesIn(visit.language)("methods_missing"));
}

/** Throws FormProblem unless it is empty, or an address that begins with https://. */
export function requiredSuccessUrl(visit: Visit, text: string): void {
  const { protocol, username, password } = (text === "" ? undefined : webAddress(text)) ?? {};
  const isGood = protocol === "https:" && username === "" && password === "" && !/\s/u.test(text);
  if (text === "" || (isGood && text.length <= limitOf(FILLED.successUrl, "maxLength"))) return;
  throw new FormProblem("success_url", messagesIn(visit.language)("success_url_refused"));
}

/** Returns the request for the form. Throws FormProblem. */
export function linkRequest(
  visit: Visit,
  typed: Typed,
): MessageInitShape<typeof CreatePaymentLinkRequestSchema> {
  const methods = requiredMethods(visit, typed);
  const most = mostOf(typed);
  const pictures = addressesOf(typed.texts("product_images"));
  const collects = COLLECTS.get(typed.text("collect_fields"));
  const metadata = metadataOf(visit, typed);
  return {
    amount: amountOf(visit, typed),
    currency: currencyOf(typed),
    paymentMethods: { values: methods },
    ...defined({ maxInstallments: most }),
    ...feeHandlingOf(typed),
    ...lifeOf(visit, typed),
    ...given("description", typed.text("description")),
    ...given("details", typed.text("details")),
    ...given("productRef", typed.text("product_ref")),
    ...given("reference", typed.text("reference")),
    ...given("successMessage", typed.text("success_message")),
    ...given("successUrl", typed.text("success_url")),
    ...(pictures.length === 0 ? {} : { productImages: { values: pictures } }),
    ...(collects ? { collectFields: { values: [...collects] } } : {}),
    ...(ASKED_NAMES.some((name) => typed.text(name) !== "")
      ? { payerFields: askedFields(wordsIn(typed)) }
      : {}),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** Returns the form of a new link as the query fills it in, or like another link that the query names. */
export async function typedInQuery(visit: Visit): Promise<Typed> {
  const { copy } = visit.query;
  const { paymentLink, details } =
    copy === undefined ? {} : await visit.core.links.getPaymentLink({ id: copy }, visit.as);
  if (paymentLink) return typedLike(paymentLink, details?.isCampaign ?? false);
  const asked = await withUsualDetails(visit, Typed.asked(visit));
  if (asked.texts("payment_methods").length > 0) return asked;
  const usual = await usualMethods(visit);
  return usual.reduce((typed, method) => typed.with("payment_methods", method), asked);
}

/** Returns the form with what the company usually asks payers for, where the query does not say. */
async function withUsualDetails(visit: Visit, typed: Typed): Promise<Typed> {
  if (ASKED_NAMES.some((name) => typed.text(name) !== "")) return typed;
  const { core, tenantId, as } = visit;
  const { tenant } = await core.identity.getTenant({ tenantId }, as);
  const words = askedWords(tenant?.payerFields);
  return ASKED_NAMES.reduce((filled, name) => filled.with(name, words[name]), typed);
}

function wordsIn(typed: Typed): Record<AskedName, string> {
  const [name, email, taxId] = [
    typed.text("payer_name"),
    typed.text("payer_email"),
    typed.text("payer_tax_id"),
  ];
  return { payer_name: name, payer_email: email, payer_tax_id: taxId };
}

function typedLike(link: PaymentLink, isCampaign: boolean): Typed {
  const hasCard = link.paymentMethods.includes(PaymentMethod.CARD);
  const metadata = Object.entries(link.metadata ?? {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );
  return Typed.of({
    amount: decimalText(link.amount, MINOR_DIGITS),
    currency: link.currency,
    payment_methods: link.paymentMethods.map(methodWord),
    max_installments: hasCard ? String(link.maxInstallments) : "",
    fee_handling: link.feeHandling === FeeHandling.PASS_THROUGH ? "pass_through" : "absorb",
    campaign: isCampaign ? "yes" : "",
    description: link.description ?? "",
    details: link.details ?? "",
    product_ref: link.productRef ?? "",
    product_images: link.productImages,
    collect_fields: collectWord(link.collectFields),
    ...askedWords(link.payerFields),
    reference: link.reference ?? "",
    success_message: link.successMessage ?? "",
    success_url: link.successUrl ?? "",
    metadata_key: metadata.map(([key]) => key),
    metadata_value: metadata.map(([, value]) => value),
  });
}

function collectWord(fields: readonly CollectField[]): string {
  if (fields.length > 1) return "both";
  const [field] = fields;
  if (field === undefined) return "nothing";
  return field === CollectField.PHONE ? "phone" : "address";
}
