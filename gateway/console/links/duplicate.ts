import { decimalText, MINOR_DIGITS } from "../../../contract/decimal.ts";
import { CollectField, type PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Typed } from "../fields/typed.ts";
import { methodWord } from "../prices/payment-option.ts";
import type { Visit } from "../visit.ts";

/** Returns the form of a new link as the query fills it in, or like another link that the query names. */
export async function typedInQuery(visit: Visit): Promise<Typed> {
  const { copy } = visit.query;
  if (copy === undefined) return Typed.asked(visit);
  const { paymentLink, details } = await visit.core.links.getPaymentLink({ id: copy }, visit.as);
  return paymentLink ? typedLike(paymentLink, details?.isCampaign ?? false) : Typed.asked(visit);
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
    reference: link.reference ?? "",
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
