import type { MessageInitShape } from "@bufbuild/protobuf";
import { defined } from "../../../contract/defined.ts";
import { AcceptQuoteRequestSchema } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod, type CreateQuoteRequestSchema } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { amountOf, currencyOf } from "../fields/amount.ts";
import { lifeOf } from "../fields/expiry.ts";
import { addressesOf, given } from "../fields/given.ts";
import { metadataOf } from "../fields/metadata.ts";
import type { Typed } from "../fields/typed.ts";
import { feeHandlingOf, installmentsOf } from "../prices/preview.ts";
import { methodOf } from "../prices/payment-option.ts";
import { textFaults } from "../form/faults.ts";
import { allProblems, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";

/** Returns the chosen payment option: from a button among the prices, as "card-3", else from the form's fields. */
function chosenOf(typed: Typed): { paymentMethod?: PaymentMethod; installments?: number } {
  const [picked = "", count = ""] = typed.text("way").split("-");
  const paymentMethod = methodOf(picked) ?? methodOf(typed.text("payment_method"));
  const isCounted = paymentMethod === undefined || paymentMethod === PaymentMethod.CARD;
  const installments = installmentsOf(picked === "" ? typed.text("installments") : count);
  return {
    ...defined({ paymentMethod }),
    ...(isCounted && installments !== undefined ? { installments } : {}),
  };
}

/** Returns the request for the form. Throws FormProblem. */
export function quoteRequest(visit: Visit, typed: Typed): MessageInitShape<typeof CreateQuoteRequestSchema> {
  const paymentIntentId = typed.text("payment_intent_id");
  if (paymentIntentId !== "") return { ...chosenOf(typed), paymentIntentId };
  return {
    ...chosenOf(typed),
    amount: amountOf(visit, typed),
    currency: currencyOf(typed),
    ...feeHandlingOf(typed),
  };
}

function countryOf(typed: Typed): string {
  return typed.text("payer_country").toUpperCase();
}

/** Returns all that is wrong by itself with the form that accepts a quote. */
export function acceptFaults(visit: Visit, typed: Typed): Problems {
  const { name, description, reference, payerCountry } = AcceptQuoteRequestSchema.field;
  return new Map([
    ...allProblems([() => lifeOf(visit, typed), () => metadataOf(visit, typed)]),
    ...textFaults(visit, {
      name: [name, typed.text("name")],
      description: [description, typed.text("description")],
      reference: [reference, typed.text("reference")],
      payer_country: [payerCountry, countryOf(typed)],
    }),
  ]);
}

/** Returns the request that accepts the quote. Throws FormProblem. */
export function acceptRequest(
  visit: Visit,
  id: string,
  typed: Typed,
): MessageInitShape<typeof AcceptQuoteRequestSchema> {
  const pictures = addressesOf(typed.texts("media_urls"));
  const metadata = metadataOf(visit, typed);
  return {
    id,
    name: typed.text("name"),
    ...lifeOf(visit, typed),
    ...given("description", typed.text("description")),
    ...given("reference", typed.text("reference")),
    ...given("payerCountry", countryOf(typed)),
    ...(pictures.length === 0 ? {} : { mediaUrls: { values: pictures } }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}
