import { reais, reaisText, type Fields } from "../provider/json.ts";
import type { AsaasDeps } from "./deps.ts";
import type {
  Account,
  Chargeback,
  Checkout,
  Customer,
  Line,
  Payment,
  Plan,
  Refund,
  Webhook,
} from "./state.ts";

const NO_ADDRESS = {
  address: null,
  addressNumber: null,
  complement: null,
  province: null,
  postalCode: null,
};

type Deps = Pick<AsaasDeps, "amountForm" | "origin">;

export function amount(minor: bigint, { amountForm }: Pick<AsaasDeps, "amountForm">): object {
  if (amountForm === "two_decimals") return reais(minor);
  return JSON.rawJSON(String(Number(reaisText(minor))));
}

function invoiceUrl({ id }: Payment, { origin }: Deps): string {
  return `${origin()}/i/${id.slice("pay_".length)}`;
}

export function customerBody(customer: Customer): Fields {
  return {
    object: "customer",
    id: customer.id,
    dateCreated: customer.createdOn,
    name: customer.name,
    email: customer.email,
    company: null,
    phone: customer.phone,
    mobilePhone: customer.mobilePhone,
    ...NO_ADDRESS,
    cpfCnpj: customer.taxId,
    personType: customer.taxId.length === 11 ? "FISICA" : "JURIDICA",
    deleted: false,
    additionalEmails: null,
    externalReference: customer.externalReference,
    notificationDisabled: customer.notificationDisabled,
    observations: null,
    municipalInscription: null,
    stateInscription: null,
    canDelete: true,
    cannotBeDeletedReason: null,
    canEdit: true,
    cannotEditReason: null,
    city: null,
    cityName: null,
    state: null,
    country: "Brasil",
  };
}

/** Returns a payment. Relations that it has not are left out, and cards have fields that PIX has not. */
export function paymentBody(payment: Payment, deps: Deps): Fields {
  const { plan, chargeback, refunds, card } = payment;
  const isCard = payment.billingType === "CREDIT_CARD";
  return {
    object: "payment",
    id: payment.id,
    dateCreated: payment.createdOn,
    customer: payment.customerId,
    ...(plan ? { installment: plan.id } : {}),
    checkoutSession: payment.checkoutId,
    paymentLink: null,
    value: amount(payment.valueMinor, deps),
    netValue: amount(payment.valueMinor - payment.feeMinor, deps),
    originalValue: null,
    interestValue: null,
    description: payment.description,
    billingType: payment.billingType,
    ...(isCard ? { confirmedDate: payment.confirmedOn, creditCard: card && cardBody(card) } : {}),
    pixTransaction: payment.pixTransaction?.id ?? null,
    status: payment.status,
    dueDate: payment.dueOn,
    originalDueDate: payment.dueOn,
    paymentDate: payment.receivedOn,
    clientPaymentDate: payment.confirmedOn,
    installmentNumber: payment.number,
    invoiceUrl: invoiceUrl(payment, deps),
    invoiceNumber: payment.invoiceNumber,
    externalReference: payment.externalReference,
    deleted: payment.isDeleted,
    anticipated: payment.anticipation !== null,
    anticipable: false,
    creditDate: payment.creditOn,
    estimatedCreditDate: payment.creditOn,
    transactionReceiptUrl: payment.receipt,
    nossoNumero: null,
    bankSlipUrl: null,
    lastInvoiceViewedDate: null,
    lastBankSlipViewedDate: null,
    discount: { value: 0, limitDate: null, dueDateLimitDays: 0, type: "FIXED" },
    fine: { value: 0, type: "FIXED" },
    interest: { value: 0, type: "PERCENTAGE" },
    postalService: false,
    ...(chargeback ? { chargeback: chargebackBody(payment, chargeback, deps) } : {}),
    escrow: null,
    refunds: refunds.length === 0 ? null : refunds.map((refund) => refundBody(refund, deps)),
  };
}

/** Returns a plan. Its paymentValue is the last installment's; its paymentDate is that of the payer. */
export function planBody(plan: Plan, deps: Deps): Fields {
  const { payments } = plan;
  const refunds = payments.flatMap((payment) =>
    payment.refunds.map((refund) => ({ ...refundBody(refund, deps), paymentId: payment.id })),
  );
  const paid = payments.find(({ confirmedOn }) => confirmedOn !== null);
  const netMinor = payments.reduce((sum, { valueMinor, feeMinor }) => sum + valueMinor - feeMinor, 0n);
  return {
    object: "installment",
    id: plan.id,
    value: amount(plan.totalMinor, deps),
    netValue: amount(netMinor, deps),
    paymentValue: amount(payments.at(-1)?.valueMinor ?? 0n, deps),
    installmentCount: payments.length,
    billingType: plan.billingType,
    paymentDate: paid?.confirmedOn ?? null,
    description: plan.description,
    expirationDay: plan.dueDay,
    deleted: plan.isDeleted,
    dateCreated: plan.createdOn,
    checkoutSession: plan.checkoutId,
    customer: plan.customerId,
    paymentLink: null,
    transactionReceiptUrl: paid?.receipt ?? null,
    creditCard: paid?.card ? cardBody(paid.card) : null,
    refunds: refunds.length === 0 ? null : refunds,
  };
}

function cardBody({ last4, brand, token }: NonNullable<Payment["card"]>): Fields {
  return { creditCardNumber: last4, creditCardBrand: brand, creditCardToken: token };
}

export function refundBody(refund: Refund, deps: Deps): Fields {
  return {
    dateCreated: refund.createdAt,
    status: refund.status,
    value: amount(refund.valueMinor, deps),
    endToEndIdentifier: null,
    description: refund.description,
    effectiveDate: refund.effectiveOn,
    transactionReceiptUrl: null,
    refundedSplits: [],
  };
}

export function chargebackBody(payment: Payment, chargeback: Chargeback, deps: Deps): Fields {
  const { plan, card } = payment;
  return {
    id: chargeback.id,
    payment: payment.id,
    ...(plan ? { installment: plan.id } : {}),
    customerAccount: payment.customerId,
    status: chargeback.status,
    reason: chargeback.reason,
    disputeStartDate: chargeback.startedOn,
    value: amount(chargeback.valueMinor, deps),
    paymentDate: payment.confirmedOn,
    creditCard: card && { number: card.last4, brand: card.brand },
    disputeStatus: chargeback.disputeStatus,
    deadlineToSendDisputeDocuments: chargeback.deadlineOn,
  };
}

export function checkoutBody({ id, asked, status, externalReference }: Checkout, { origin }: Deps): Fields {
  return { id, link: `${origin()}/checkoutSession/show/${id}`, status, ...asked, externalReference };
}

export function webhookBody(webhook: Webhook): Fields {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    email: webhook.email,
    enabled: webhook.isEnabled,
    interrupted: webhook.isInterrupted,
    apiVersion: 3,
    hasAuthToken: webhook.authToken !== null,
    sendType: webhook.sendType,
    events: webhook.events,
  };
}

/** Returns who the account is of, as far as a merchant's program reads it. */
export function ownerBody({ name, email }: Account): Fields {
  return { status: "APPROVED", personType: "JURIDICA", name, companyName: name, email };
}

export function lineBody(line: Line, deps: Deps): Fields {
  return {
    object: "financialTransaction",
    id: line.id,
    value: amount(line.valueMinor, deps),
    balance: amount(line.balanceMinor, deps),
    type: line.type,
    date: line.on,
    description: line.description,
    paymentId: line.paymentId,
    splitId: null,
    transferId: null,
    anticipationId: null,
    billId: null,
    invoiceId: null,
    paymentDunningId: null,
    creditBureauReportId: null,
  };
}
