import type { PaymentDetails } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Html } from "../../pages/html.ts";
import { namedId, shortId } from "../parts/show.ts";
import type { Visit } from "../visit.ts";

/** Returns the short names of payers by their payments' ids, or none if the user may not see them. */
export async function payerNames(
  visit: Visit,
  payments: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, string>> {
  if (payments.length === 0 || !visit.can("payers.read")) return new Map();
  const paymentIds = payments.map(({ id }) => id);
  const { names } = await visit.core.checkout.listPayerNames({ paymentIds }, visit.as);
  return new Map(names.map(({ paymentId, name }) => [paymentId, name]));
}

/** Returns a payment's product and payer, as far as they are known, or "". */
export function paymentName({ product }: Partial<PaymentDetails> = {}, payer?: string): string {
  return [product, payer].filter(Boolean).join(" · ");
}

/** Returns the link to a payment's page, with its name and the end of its id. */
export function paymentLink(visit: Visit, id: string, name: string): Html {
  const path = `/payments/${id}`;
  return name === "" ? shortId(visit, id, path) : namedId(visit, name, id, path);
}
