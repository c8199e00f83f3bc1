import type { MessageInitShape } from "@bufbuild/protobuf";
import { defaultNumber } from "../../../contract/field-default.ts";
import { CollectField, CreatePaymentLinkRequestSchema } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { defined } from "../../../contract/defined.ts";
import { amountOf, currencyOf } from "../fields/amount.ts";
import { lifeOf } from "../fields/expiry.ts";
import { addressesOf, given } from "../fields/given.ts";
import { metadataOf } from "../fields/metadata.ts";
import type { Typed } from "../fields/typed.ts";
import { textFaults } from "../form/faults.ts";
import { feeHandlingOf, installmentsOf } from "../prices/preview.ts";
import { methodOf } from "../prices/payment-option.ts";
import { allProblems, FormProblem, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";

const COLLECTS: ReadonlyMap<string, readonly CollectField[]> = new Map([
  ["nothing", []],
  ["phone", [CollectField.PHONE]],
  ["address", [CollectField.ADDRESS]],
  ["both", [CollectField.PHONE, CollectField.ADDRESS]],
]);

/** Returns the selected methods; PIX before the form was submitted. */
export function methodsOf(typed: Typed): PaymentMethod[] {
  return typed.chosen("payment_methods", ["pix"]).flatMap((word) => methodOf(word) ?? []);
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
  return new Map([
    ...allProblems([
      () => requiredMethods(visit, typed),
      () => amountOf(visit, typed),
      () => lifeOf(visit, typed),
      () => metadataOf(visit, typed),
    ]),
    ...textFaults(visit, {
      description: [description, typed.text("description")],
      details: [details, typed.text("details")],
      product_ref: [productRef, typed.text("product_ref")],
      reference: [reference, typed.text("reference")],
    }),
  ]);
}

function requiredMethods(visit: Visit, typed: Typed): PaymentMethod[] {
  const methods = methodsOf(typed);
  if (methods.length > 0) return methods;
  throw new FormProblem("payment_methods", messagesIn(visit.language)("methods_missing"));
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
    ...(pictures.length === 0 ? {} : { productImages: { values: pictures } }),
    ...(collects ? { collectFields: { values: [...collects] } } : {}),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}
