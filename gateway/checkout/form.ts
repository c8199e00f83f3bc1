import type { MessageInitShape } from "@bufbuild/protobuf";
import type { StartPaymentRequestSchema } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Form } from "../pages/form.ts";

/** The fields of the payer's details, in the page's order. */
export const DETAILS = [
  "name",
  "email",
  "document",
  "phone",
  "postal_code",
  "street",
  "number",
  "complement",
  "district",
  "city",
  "state",
];
/** The fields in which something may be wrong. */
export const FIELDS: ReadonlySet<string> = new Set(["acknowledged_total", "card_token", ...DETAILS]);
const NAMES: ReadonlySet<string> = new Set(["way", "prices", ...FIELDS]);

/** Returns whether the form is the one of our page. Fields of another form may hold data that must not get here. */
export function isPaymentForm(form: Form): boolean {
  return form["way"] !== undefined && Object.keys(form).every((name) => NAMES.has(name));
}

/** Returns whether the form has the fields of the payer's details. */
export function hasDetails(form: Form): boolean {
  return DETAILS.some((name) => form[name] !== undefined);
}

const INTEGER = /^\d{1,15}$/;

type StartFields = Pick<
  MessageInitShape<typeof StartPaymentRequestSchema>,
  "acknowledgedTotal" | "cardToken" | "payer"
>;

/** Returns StartPayment's fields from a payment form. A total that is no number becomes -1, which matches no price. */
export function startFields(form: Form): StartFields {
  const { acknowledged_total: total, card_token: cardToken } = form;
  return {
    acknowledgedTotal: total === undefined ? undefined : INTEGER.test(total) ? BigInt(total) : -1n,
    cardToken: cardToken || undefined,
    payer: hasDetails(form) ? payerOf(form) : undefined,
  };
}

function payerOf(form: Form) {
  return {
    name: form["name"],
    email: form["email"],
    document: form["document"],
    phone: form["phone"],
    address: form["postal_code"] === undefined ? undefined : addressOf(form),
  };
}

function addressOf(form: Form) {
  const { complement } = form;
  return {
    postalCode: form["postal_code"] ?? "",
    street: form["street"] ?? "",
    number: form["number"] ?? "",
    complement: complement || undefined,
    district: form["district"] ?? "",
    city: form["city"] ?? "",
    state: form["state"] ?? "",
  };
}
