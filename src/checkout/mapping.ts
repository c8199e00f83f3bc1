import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  CardSetupSchema,
  CardStyle,
  CheckoutOptionSchema,
  CheckoutPaymentSchema,
  CheckoutSchema,
  CheckoutSessionSchema,
  CurrentPricesSchema,
  PayerDetailsSchema,
  PayerField,
  PaymentExceptionSchema,
  MoneyBack,
  SessionSummarySchema,
  UntakenMoneySchema,
  type CardSetup,
  type Checkout,
  type CheckoutOption,
  type CheckoutPayment,
  type CheckoutSession,
  type CurrentPrices,
  type PayerDetails,
  type PaymentException,
  type SessionSummary,
  type UntakenMoney,
} from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Profile } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { PaymentLink } from "../../gen/paylink/links/v1/links_pb.ts";
import type { PlainPayment } from "../ledger/entities.ts";
import { toPaymentState } from "../ledger/mapping.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import { toFeeHandlingEnum, toFx, toMethodEnum } from "../pricing/mapping.ts";
import type { BankAccount } from "../providers/directory.ts";
import type { CardBrand } from "../providers/card-brand.ts";
import { mostInstallments, type CardTerms } from "../providers/card-port.ts";
import type { PayerField as PayerFieldWord } from "../providers/ports.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import { defined } from "../../contract/defined.ts";
import { askedAgainAt } from "./charge-end.ts";
import type { ChargeRow, PaymentExceptionRow } from "./entities.ts";
import type { UntakenSum } from "./exceptions.ts";
import type { Payer } from "./payer-details.ts";
import type { OptionPrice, PricedSession } from "./repository.ts";
import { pricesVersion } from "./session.ts";
import type { ListedSession, SessionPaymentRow } from "./session-list.ts";

const BRAND_NAMES: Readonly<Record<CardBrand, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  elo: "Elo",
  hipercard: "Hipercard",
  amex: "American Express",
  other: "",
};
const styles = wordsOf(CardStyle);
const fields = wordsOf(PayerField);

/** The content of a link's page that is not the link's. */
interface CheckoutParts {
  readonly session?: CheckoutSession;
  readonly currentPrices?: CurrentPrices | undefined;
  readonly isDemo: boolean;
  readonly isUnconnected: boolean;
  readonly cardSetup?: CardSetup | undefined;
  readonly pixPayerFields: PayerField[];
  readonly profile: Profile;
  readonly sendsReceipts: boolean;
}

/** Returns the content of a link's page, from the link as the API shows it. */
export function toCheckout(
  link: PaymentLink,
  merchantName: string,
  now: Date,
  { session, ...standing }: CheckoutParts,
): Checkout {
  const { description, details, productRef, expiresAt, successUrl, successMessage } = link;
  return create(CheckoutSchema, {
    linkId: link.id,
    mode: link.mode,
    status: link.status,
    merchantName,
    description,
    details,
    productRef,
    productImages: link.productImages,
    amount: link.amount,
    currency: link.currency,
    paymentMethods: link.paymentMethods,
    collectFields: link.collectFields,
    ...defined({ payerFields: link.payerFields }),
    expiresAt: expiresAt && expiresAt.seconds > 0n ? expiresAt : undefined,
    now: timestampFromDate(now),
    session,
    successUrl,
    successMessage,
    ...standing,
  });
}

export function toSession(
  { session, prices }: PricedSession,
  isOpen: boolean,
  payment: CheckoutPayment | undefined,
  given: Payer,
): CheckoutSession {
  const fx = prices[0] && toFx(prices[0]);
  return create(CheckoutSessionSchema, {
    id: session.id,
    expiresAt: timestampFromDate(session.expiresAt),
    isOpen,
    options: prices.map(toOption),
    payment,
    fx,
    givenFields: toPayerFields(Object.keys(given) as PayerFieldWord[]),
    pricesVersion: pricesVersion(prices),
  });
}

export function toCurrentPrices(prices: readonly OptionPrice[]): CurrentPrices {
  return create(CurrentPricesSchema, {
    options: prices.map(toOption),
    rateMicros: prices[0]?.rateMicros ?? undefined,
    version: pricesVersion(prices),
  });
}

/** Returns a session for its merchant, with those of `payments` that were started in it. */
export function toSessionSummary(
  { id, createdAt, expiresAt, optionCount }: ListedSession,
  isOpen: boolean,
  payments: readonly SessionPaymentRow[],
): SessionSummary {
  return create(SessionSummarySchema, {
    id,
    openedAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
    isOpen,
    optionCount,
    payments: payments
      .filter(({ sessionId }) => sessionId === id)
      .map((payment) => ({ id: payment.id, status: toPaymentState(payment).status })),
  });
}

/** A payment option: the columns of its price row, unchanged. */
function toOption(price: OptionPrice): CheckoutOption {
  return create(CheckoutOptionSchema, {
    paymentMethod: toMethodEnum(price.method),
    installments: price.installments,
    payerTotal: price.payerTotalMinor,
    payerCurrency: price.payerCurrency,
    firstInstallment: price.firstInstallmentMinor,
    otherInstallment: price.otherInstallmentMinor,
    productAmount: price.baseMinor,
    feeAmount: price.totalFeeMinor,
    pricingCurrency: price.pricingCurrency,
    feeHandling: toFeeHandlingEnum(price.feeHandling),
    serviceFee: price.serviceFeeMinor,
    installmentInterest: price.installmentSurchargeMinor,
    iofAmount: price.iofAmountMinor,
  });
}

export function toCheckoutPayment(
  payment: PlainPayment,
  price: OptionPrice,
  charge: ChargeRow,
  bankAccount: BankAccount | undefined,
  untaken: UntakenSum | undefined,
  now: Date,
): CheckoutPayment {
  const { status, failureCode } = toPaymentState(payment);
  const { pixCode, challengeUrl, reference, expiresAt, reviewedAt, cardStyle } = charge;
  const isPaid = payment.status === "succeeded";
  return create(CheckoutPaymentSchema, {
    id: payment.id,
    status,
    failureCode,
    option: toOption(price),
    pixCode: pixCode ?? undefined,
    challengeUrl: challengeUrl ?? undefined,
    ...(payment.method === "ted" && bankAccount ? { bankAccount, transferReference: reference } : {}),
    expiresAt: timestampFromDate(expiresAt),
    hasException: untaken !== undefined,
    untakenMoney: untaken && toUntakenMoney(untaken),
    isUnderReview: payment.status === "processing" && reviewedAt != null,
    cardStyle: styles.numberOf(cardStyle ?? "") ?? CardStyle.UNSPECIFIED,
    // An earlier release did not keep when the money was paid.
    paidAt: isPaid ? stampOf(charge.paidAt ?? payment.updatedAt ?? payment.createdAt) : undefined,
    askedAgainAt: stampOf(askedAgainAt({ charge, payment, now })),
    endToEndId: payment.endToEndId ?? undefined,
    reference: payment.reference ?? undefined,
    cardBrand: charge.cardBrand == null ? undefined : BRAND_NAMES[charge.cardBrand] || undefined,
    cardLastFour: charge.cardLastFour ?? undefined,
    fx: toFx(price),
  });
}

function toUntakenMoney({ amountMinor, isDuplicate, isGoing, isGone }: UntakenSum): UntakenMoney {
  const back = isGone ? MoneyBack.DONE : isGoing ? MoneyBack.ON_ITS_WAY : MoneyBack.UNSPECIFIED;
  return create(UntakenMoneySchema, { amount: amountMinor, isDuplicate, back });
}

/** Returns the names of the brands that take more installments than all others. */
function brandsOf({ installments }: CardTerms): string[] {
  return Object.entries(installments)
    .filter(([brand, most]) => brand !== "other" && most > installments.other)
    .map(([brand]) => BRAND_NAMES[brand as CardBrand]);
}

/** Returns what a payer must give; nothing if the provider does not say. */
export function toPayerFields(words: readonly PayerFieldWord[] = []): PayerField[] {
  return words.map((field) => fields.numberOf(field) ?? PayerField.UNSPECIFIED);
}

/** Returns how a card is paid at an account. */
export function toCardSetup(terms: CardTerms): CardSetup {
  const { style, payerFields, installments, tokenUrl } = terms;
  return create(CardSetupSchema, {
    ...defined({ tokenUrl }),
    style: styles.numberOf(style) ?? CardStyle.UNSPECIFIED,
    payerFields: toPayerFields(payerFields),
    maxInstallments: mostInstallments(terms),
    maxInstallmentsOfOthers: installments.other,
    brands: brandsOf(terms),
  });
}

export function toPayerDetails({ name, email, document, phone, address }: Payer): PayerDetails {
  return create(PayerDetailsSchema, {
    name,
    email,
    document,
    phone,
    address: address && {
      postalCode: address.postal_code,
      street: address.street,
      number: address.number,
      complement: address.complement || undefined,
      district: address.district,
      city: address.city,
      state: address.state,
    },
  });
}

export function toException(row: PaymentExceptionRow, linkId: string): PaymentException {
  return create(PaymentExceptionSchema, {
    id: row.id,
    paymentId: row.paymentId,
    linkId,
    reason: row.reason,
    amount: row.amountMinor,
    expectedAmount: row.expectedMinor,
    proposedRefund: row.proposedRefundMinor,
    providerPaymentId: row.providerPaymentId,
    receivedAt: timestampFromDate(row.receivedAt),
    refundAmount: row.refundReservedMinor,
    refundAt: stampOf(row.refundAt),
  });
}
