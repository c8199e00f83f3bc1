import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { stampOf } from "../platform/time/timestamps.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  AcceptedLinkSchema,
  CollectField,
  PaymentLinkDetailsSchema,
  PaymentLinkSchema,
  PaymentLinkStatus as StatusEnum,
  type AcceptedLink,
  type PaymentLink,
  type PaymentLinkDetails,
} from "../../gen/paylink/links/v1/links_pb.ts";
import { toModeEnum } from "../identity/mapping.ts";
import { toPayerFieldsMessage } from "../identity/payer-fields.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { needsConversion } from "../pricing/fee-rule.ts";
import { toFeeHandlingEnum, toMethodEnum } from "../pricing/mapping.ts";
import type { PaymentLinkRow, PaymentLinkStatus } from "./entities.ts";

const statuses = wordsOf(StatusEnum);
const collectFields = wordsOf(CollectField);

export const fromStatusEnum = statuses.knownWordOf;
export const fromCollectField = collectFields.knownWordOf;

function checkoutUrl(checkoutBase: string, linkId: string): string {
  return `${checkoutBase}/pay/${linkId}`;
}

/** Returns the public object. `status` is the link's status at the time of reading. */
export function toPaymentLink(
  mode: Mode,
  link: PaymentLinkRow,
  status: PaymentLinkStatus,
  checkoutBase: string,
): PaymentLink {
  const { currency, payoutCurrency } = link;
  return create(PaymentLinkSchema, {
    id: link.id,
    mode: toModeEnum(mode),
    status: statuses.numbers[status],
    checkoutUrl: checkoutUrl(checkoutBase, link.id),
    amount: link.amountMinor,
    currency,
    reference: link.reference ?? undefined,
    targetCurrency: needsConversion(currency, payoutCurrency) ? "USD" : "BRL",
    chargeCurrency: "BRL",
    merchantPayoutCurrency: payoutCurrency,
    paymentMethods: link.paymentMethods.map(toMethodEnum),
    maxInstallments: link.maxInstallments,
    feeHandling: toFeeHandlingEnum(link.feeHandling),
    expiresAt: timestampFromMs(link.expiresAt?.getTime() ?? 0),
    description: link.description ?? undefined,
    productRef: link.productRef ?? undefined,
    details: link.details ?? undefined,
    productImages: link.productImages,
    collectFields: link.collectFields.map((word) => collectFields.numbers[word]),
    metadata: link.metadata,
    ...(Object.keys(link.payerFields).length === 0
      ? {}
      : { payerFields: toPayerFieldsMessage(link.payerFields) }),
    created: timestampFromMs(link.createdAt.getTime()),
    successUrl: link.successUrl ?? undefined,
    successMessage: link.successMessage ?? undefined,
  });
}

/** Returns a link with what the public object does not have: so every answer that is about one link has it. */
export function linkResponse(
  mode: Mode,
  link: PaymentLinkRow,
  status: PaymentLinkStatus,
  checkoutBase: string,
): { readonly paymentLink: PaymentLink; readonly details: PaymentLinkDetails } {
  return { paymentLink: toPaymentLink(mode, link, status, checkoutBase), details: toLinkDetails(link) };
}

function toLinkDetails({
  isCampaign,
  quoteId,
  paymentIntentId,
  updatedAt,
}: PaymentLinkRow): PaymentLinkDetails {
  return create(PaymentLinkDetailsSchema, {
    isCampaign,
    quoteId: quoteId ?? undefined,
    paymentIntentId: paymentIntentId ?? undefined,
    updatedAt: stampOf(updatedAt),
  });
}

/** Returns the response to accepting a quote: the link with the quote's price. */
export function toAcceptedLink(
  link: PaymentLinkRow,
  price: PriceValues,
  intentId: string,
  checkoutBase: string,
): AcceptedLink {
  const url = checkoutUrl(checkoutBase, link.id);

  return create(AcceptedLinkSchema, {
    id: link.id,
    url,
    checkoutUrl: url,
    amount: price.amountMinor,
    currency: price.currency,
    paymentMethod: toMethodEnum(price.method),
    installments: price.installments,
    payerTotal: price.payerTotalMinor,
    payerCurrency: price.payerCurrency,
    receiverNet: price.receiverNetMinor,
    receiverCurrency: price.receiverCurrency,
    ...(link.isCampaign || price.fxRateHistoryId == null ? {} : { fxRateHistoryId: price.fxRateHistoryId }),
    paymentIntentId: intentId,
    expiresAt: timestampFromMs(link.expiresAt?.getTime() ?? 0),
    reference: link.reference ?? undefined,
    successUrl: link.successUrl ?? undefined,
    successMessage: link.successMessage ?? undefined,
  });
}
