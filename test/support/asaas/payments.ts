import { dayOf, isDay, plusMonths } from "../provider/dates.ts";
import { fieldsOf, minorOf, textOf, wholeOf, type Fields } from "../provider/json.ts";
import { dividedMinor, feeMinor } from "./amounts.ts";
import { COUNT_MAX } from "./cards.ts";
import { findCustomer } from "./customers.ts";
import { today, type AsaasDeps } from "./deps.ts";
import { isWithin } from "./lists.ts";
import { invalid, notFound } from "./problem.ts";
import type { Account, BillingType, Payment, Plan } from "./state.ts";

const DESCRIPTION_MAX = 500;
const LEAST_MINOR = 500n;

/** What is asked for: one payment, or a plan of several. */
export interface Terms {
  readonly customerId: string;
  readonly billingType: BillingType;
  readonly totalMinor: bigint;
  readonly count: number;
  readonly dueOn: string;
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly back: Payment["back"];
  readonly checkoutId: string | null;
}

/** Returns what a body asks for. Throws Problem for the first thing that is wrong with it. */
export function termsOf(account: Account, body: Fields, deps: AsaasDeps): Terms {
  const customerId = textOf(body["customer"]) ?? "";
  if (customerId === "") throw invalid("customer", "O cliente falta.");
  findCustomer(account, customerId);
  const billingType = body["billingType"];
  if (billingType !== "CREDIT_CARD" && billingType !== "PIX") {
    throw invalid("billingType", "A forma de pagamento não é aceita aqui.");
  }
  const dueOn = body["dueDate"];
  if (!isDay(dueOn)) throw invalid("dueDate", "O vencimento não é uma data.");
  if (dueOn < today(deps)) throw invalid("dueDate", "O vencimento já passou.");
  const description = textOf(body["description"]);
  if ((description ?? "").length > DESCRIPTION_MAX)
    throw invalid("description", "A descrição é longa demais.");
  const count = body["installmentCount"] === undefined ? 1 : (wholeOf(body["installmentCount"]) ?? 0);
  if (count < 1 || count > COUNT_MAX)
    throw invalid("installmentCount", "O número de parcelas vai de 1 a 21.");
  const externalReference = textOf(body["externalReference"]);
  const back = backOf(account, body);
  const totalMinor = totalOf(body, count);
  return {
    customerId,
    billingType,
    totalMinor,
    count,
    dueOn,
    description,
    externalReference,
    back,
    checkoutId: null,
  };
}

function totalOf(body: Fields, count: number): bigint {
  const field = count === 1 ? "value" : body["totalValue"] === undefined ? "installmentValue" : "totalValue";
  const givenMinor = minorOf(body[field]);
  if (givenMinor === undefined) throw invalid(field, `O campo ${field} não é um valor em reais.`);
  const totalMinor = field === "installmentValue" ? givenMinor * BigInt(count) : givenMinor;
  if (totalMinor / BigInt(count) < LEAST_MINOR) throw invalid(field, "Cada parcela é de pelo menos R$ 5,00.");
  return totalMinor;
}

/** Where the payer is sent after paying: only to the host of the merchant's account. */
function backOf({ domain }: Account, body: Fields): Payment["back"] {
  const given = fieldsOf(body["callback"]);
  if (!given) return null;
  const successUrl = textOf(given["successUrl"]) ?? "";
  const url = URL.parse(successUrl);
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid("callback", "A successUrl não é um endereço.");
  if (domain !== null && url.hostname !== domain) {
    throw invalid("callback", "A successUrl não é do domínio cadastrado na conta.");
  }
  return { successUrl, isAutomatic: given["autoRedirect"] !== false };
}

/** Stores what was asked for. Returns the payment, or the first one of the plan. */
export function createPayment(account: Account, terms: Terms, deps: AsaasDeps): Payment {
  const { count, totalMinor, billingType } = terms;
  const fee = feeMinor(account.fees, billingType, totalMinor, count);
  const plan = count === 1 ? null : newPlan(account, terms, deps);
  const payments = dividedMinor(totalMinor, count).map((valueMinor, index) =>
    newPayment(terms, { plan, index, valueMinor, feeMinor: fee }, deps),
  );
  for (const payment of payments) {
    account.payments.set(payment.id, payment);
    plan?.payments.push(payment);
  }
  for (const payment of payments) deps.tellOfPayment(account, "PAYMENT_CREATED", payment);
  const [first] = payments;
  if (!first) throw new Error("a plan has a payment");
  return first;
}

function newPlan(account: Account, terms: Terms, deps: AsaasDeps): Plan {
  const { totalMinor, billingType, description, customerId, checkoutId } = terms;
  const plan: Plan = {
    id: deps.ids.form("plan", deps.ids.uuid()),
    totalMinor,
    billingType,
    description,
    customerId,
    checkoutId,
    createdOn: today(deps),
    dueDay: Number(terms.dueOn.slice(-2)),
    payments: [],
    isDeleted: false,
  };
  account.plans.set(plan.id, plan);
  return plan;
}

interface Part {
  readonly plan: Plan | null;
  readonly index: number;
  readonly valueMinor: bigint;
  readonly feeMinor: bigint;
}

function newPayment(
  terms: Terms,
  { plan, index, valueMinor, feeMinor: fee }: Part,
  deps: AsaasDeps,
): Payment {
  const { customerId, billingType, count, externalReference, back, checkoutId } = terms;
  const number = index + 1;
  const ordinal = plan && `Parcela ${number} de ${count}.`;
  return {
    id: deps.ids.form("payment", `pay_${deps.ids.token(16)}`),
    order: deps.ids.next(),
    customerId,
    plan,
    number: plan && number,
    checkoutId,
    valueMinor,
    feeMinor: fee,
    description: ordinal ? [ordinal, terms.description ?? ""].join(" ").trim() : terms.description,
    billingType,
    createdOn: today(deps),
    dueOn: plusMonths(terms.dueOn, index),
    invoiceNumber: String(deps.ids.next()).padStart(8, "0"),
    externalReference,
    back,
    refunds: [],
    status: "PENDING",
    isDeleted: false,
    confirmedOn: null,
    receivedOn: null,
    creditOn: null,
    card: null,
    receipt: null,
    pixTransaction: null,
    chargeback: null,
    anticipation: null,
    hiddenUntil: null,
  };
}

export function findPayment(account: Account, id: string, { clock }: AsaasDeps): Payment {
  const payment = account.payments.get(id);
  if (!payment || isHidden(payment, clock.now())) throw notFound("Cobrança");
  return payment;
}

export function findPlan(account: Account, id: string): Plan {
  const plan = account.plans.get(id);
  if (!plan) throw notFound("Parcelamento");
  return plan;
}

function isHidden({ hiddenUntil }: Payment, now: Date): boolean {
  return hiddenUntil !== null && now < hiddenUntil;
}

const FILTERS: Readonly<Record<string, (payment: Payment) => string | null>> = {
  externalReference: ({ externalReference }) => externalReference,
  installment: ({ plan }) => plan?.id ?? null,
  customer: ({ customerId }) => customerId,
  checkoutSession: ({ checkoutId }) => checkoutId,
  billingType: ({ billingType }) => billingType,
  status: ({ status }) => status,
  paymentDate: ({ receivedOn }) => receivedOn,
  estimatedCreditDate: ({ creditOn }) => creditOn,
};

/** Returns the payments that a list asks for, the last one first, without those that were removed. */
export function listedPayments(account: Account, query: URLSearchParams, { clock }: AsaasDeps): Payment[] {
  return [...account.payments.values()]
    .filter((payment) => !payment.isDeleted && !isHidden(payment, clock.now()))
    .filter((payment) =>
      Object.entries(FILTERS).every(
        ([name, valueOf]) => !query.has(name) || query.get(name) === valueOf(payment),
      ),
    )
    .filter(
      (payment) =>
        isWithin(query, "dateCreated", payment.createdOn) &&
        isWithin(query, "dueDate", payment.dueOn) &&
        isWithin(query, "paymentDate", payment.receivedOn) &&
        isWithin(query, "estimatedCreditDate", payment.creditOn),
    )
    .toSorted((one, other) => other.order - one.order);
}

/** Returns the payment of an invoice page. */
export function paymentOfInvoice(accounts: readonly Account[], token: string): [Account, Payment] {
  for (const account of accounts) {
    const payment = account.payments.get(`pay_${token}`);
    if (payment) return [account, payment];
  }
  throw notFound("Cobrança");
}

/** Makes payments overdue whose day has passed. */
export function markOverdue(account: Account, deps: AsaasDeps): void {
  const day = dayOf(deps.clock.now());
  for (const payment of account.payments.values()) {
    if (payment.status !== "PENDING" || payment.isDeleted || payment.dueOn >= day) continue;
    payment.status = "OVERDUE";
    deps.tellOfPayment(account, "PAYMENT_OVERDUE", payment);
  }
}
