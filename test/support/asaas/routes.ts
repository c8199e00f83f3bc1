import { plusMonths } from "../provider/dates.ts";
import type { Fields } from "../provider/json.ts";
import { brCode } from "../../../tools/bank/br-code.ts";
import { anticipationBody, listedAnticipations } from "./anticipations.ts";
import { cancelCheckout, createCheckout, findCheckout } from "./checkouts.ts";
import { createCustomer, findCustomer, listedCustomers } from "./customers.ts";
import type { AsaasDeps } from "./deps.ts";
import { balanceMinor, feesBody, listedLines } from "./finance.ts";
import { moveChargeback } from "./happenings.ts";
import { listBody } from "./lists.ts";
import {
  amount,
  chargebackBody,
  checkoutBody,
  customerBody,
  lineBody,
  ownerBody,
  paymentBody,
  planBody,
  refundBody,
  webhookBody,
} from "./messages.ts";
import { createPayment, findPayment, findPlan, listedPayments, termsOf } from "./payments.ts";
import { notFound, notNow } from "./problem.ts";
import { refundPayment, refundPlan } from "./refunds.ts";
import { removePayment, removePlan } from "./removal.ts";
import type { Account } from "./state.ts";
import { changeWebhook, createWebhook, findWebhook, removeBackoff } from "./webhooks.ts";

/** What a call works with. */
interface Context {
  readonly account: Account;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Fields;
  readonly deps: AsaasDeps;
}

type CarryOut = (context: Context) => Fields | null;

// Each call by its method and path; {id} is the one part that varies.
const CALLS = {
  createCustomer: [
    "POST /customers",
    ({ account, body, deps }) => customerBody(createCustomer(account, body, deps)),
  ],
  listCustomers: [
    "GET /customers",
    ({ account, query }) => listBody(listedCustomers(account, query), query, customerBody),
  ],
  readCustomer: ["GET /customers/{id}", ({ account, id }) => customerBody(findCustomer(account, id))],
  createPayment: [
    "POST /payments",
    ({ account, body, deps }) =>
      paymentBody(createPayment(account, termsOf(account, body, deps), deps), deps),
  ],
  listPayments: [
    "GET /payments",
    ({ account, query, deps }) =>
      listBody(listedPayments(account, query, deps), query, (payment) => paymentBody(payment, deps)),
  ],
  readPayment: [
    "GET /payments/{id}",
    ({ account, id, deps }) => paymentBody(findPayment(account, id, deps), deps),
  ],
  readStatus: [
    "GET /payments/{id}/status",
    ({ account, id, deps }) => ({ status: findPayment(account, id, deps).status }),
  ],
  deletePayment: [
    "DELETE /payments/{id}",
    ({ account, id, deps }) => {
      removePayment(account, findPayment(account, id, deps), deps);
      return { deleted: true, id };
    },
  ],
  readPixCode: ["GET /payments/{id}/pixQrCode", (context) => pixCodeBody(context)],
  refundPayment: [
    "POST /payments/{id}/refund",
    ({ account, id, body, deps }) => {
      const payment = findPayment(account, id, deps);
      refundPayment(account, payment, body, deps);
      return paymentBody(payment, deps);
    },
  ],
  listRefunds: [
    "GET /payments/{id}/refunds",
    ({ account, id, query, deps }) =>
      listBody(findPayment(account, id, deps).refunds, query, (refund) => refundBody(refund, deps)),
  ],
  readChargeback: [
    "GET /payments/{id}/chargeback",
    ({ account, id, deps }) => {
      const payment = findPayment(account, id, deps);
      if (!payment.chargeback) throw notFound("Chargeback");
      return chargebackBody(payment, payment.chargeback, deps);
    },
  ],
  readPixTransaction: ["GET /pix/transactions/{id}", (context) => pixTransactionBody(context)],
  readPlan: ["GET /installments/{id}", ({ account, id, deps }) => planBody(findPlan(account, id), deps)],
  listPlanPayments: [
    "GET /installments/{id}/payments",
    ({ account, id, query, deps }) =>
      listBody(
        findPlan(account, id).payments.filter(({ isDeleted }) => !isDeleted),
        query,
        (payment) => paymentBody(payment, deps),
      ),
  ],
  deletePlan: [
    "DELETE /installments/{id}",
    ({ account, id, deps }) => {
      removePlan(account, findPlan(account, id), deps);
      return { deleted: true, id };
    },
  ],
  refundPlan: [
    "POST /installments/{id}/refund",
    ({ account, id, body, deps }) => {
      const plan = findPlan(account, id);
      refundPlan(account, plan, body, deps);
      return planBody(plan, deps);
    },
  ],
  listChargebacks: ["GET /chargebacks", (context) => chargebacksBody(context)],
  disputeChargeback: ["POST /chargebacks/{id}/dispute", (context) => disputeBody(context)],
  listWebhooks: [
    "GET /webhooks",
    ({ account, query }) => listBody([...account.webhooks.values()], query, webhookBody),
  ],
  createWebhook: [
    "POST /webhooks",
    ({ account, body, deps }) => webhookBody(createWebhook(account, body, deps)),
  ],
  readWebhook: ["GET /webhooks/{id}", ({ account, id }) => webhookBody(findWebhook(account, id))],
  changeWebhook: [
    "PUT /webhooks/{id}",
    ({ account, id, body, deps }) => webhookBody(changeWebhook(account, id, body, deps)),
  ],
  deleteWebhook: [
    "DELETE /webhooks/{id}",
    ({ account, id }) => {
      account.webhooks.delete(findWebhook(account, id).id);
      return { deleted: true, id };
    },
  ],
  removeBackoff: [
    "POST /webhooks/{id}/removeBackoff",
    ({ account, id, deps }) => {
      removeBackoff(account, id, deps);
      return null;
    },
  ],
  createCheckout: [
    "POST /checkouts",
    ({ account, body, deps }) => checkoutBody(createCheckout(account, body, deps), deps),
  ],
  cancelCheckout: [
    "POST /checkouts/{id}/cancel",
    ({ account, id, deps }) => {
      const checkout = findCheckout(account, id);
      cancelCheckout(account, checkout, deps);
      return checkoutBody(checkout, deps);
    },
  ],
  statement: [
    "GET /financialTransactions",
    ({ account, query, deps }) =>
      listBody(listedLines(account, query), query, (line) => lineBody(line, deps)),
  ],
  listAnticipations: [
    "GET /anticipations",
    ({ account, query, deps }) =>
      listBody(listedAnticipations(account, query), query, (listed) => anticipationBody(listed, deps)),
  ],
  balance: [
    "GET /finance/balance",
    ({ account, deps }) => ({ balance: amount(balanceMinor(account), deps) }),
  ],
  readOwner: ["GET /myAccount/commercialInfo", ({ account }) => ownerBody(account)],
  fees: ["GET /myAccount/fees", ({ account, deps }) => feesBody(account, deps)],
} as const satisfies Readonly<Record<string, readonly [route: string, carryOut: CarryOut]>>;

/** The calls of the API and of the pages, as faults name them. */
export type CallName = keyof typeof CALLS | "invoicePage" | "payInvoice" | "checkoutPage" | "payCheckout";

interface Route {
  readonly call: keyof typeof CALLS;
  readonly method: string;
  readonly path: RegExp;
  readonly carryOut: CarryOut;
}

const ROUTES: readonly Route[] = Object.entries(CALLS).map(([call, [route, carryOut]]) => {
  const [method = "", path = ""] = route.split(" ");
  const pattern = new RegExp(`^${path.replace("{id}", "([^/]+)")}$`);
  return { call: call as keyof typeof CALLS, method, path: pattern, carryOut };
});

/** Returns the call that a method and a path mean, with the id in its path. A slash at the end changes nothing. */
export function routeOf(method: string, path: string): { route: Route; id: string } | undefined {
  for (const route of ROUTES) {
    const match = route.method === method ? route.path.exec(path.replace(/\/$/, "")) : null;
    if (match) return { route, id: decodeURIComponent(match[1] ?? "") };
  }
  return undefined;
}

/** The code lives for a year after the due date. */
function pixCodeBody({ account, id, deps }: Context): Fields {
  const payment = findPayment(account, id, deps);
  if (payment.billingType !== "PIX") throw notNow("A cobrança não é por Pix.");
  if (payment.isDeleted) throw notNow("A cobrança foi removida.");
  return {
    success: true,
    encodedImage: "",
    payload: brCode(`pix.example.com/qr/cobv/${id.slice("pay_".length)}`, null),
    expirationDate: `${plusMonths(payment.dueOn, 12)} 23:59:59`,
    description: payment.description,
  };
}

function pixTransactionBody({ account, id, deps }: Context): Fields {
  const payment = [...account.payments.values()].find(({ pixTransaction }) => pixTransaction?.id === id);
  if (!payment?.pixTransaction) throw notFound("Transação Pix");
  const { endToEndId, effectiveAt } = payment.pixTransaction;
  return {
    id,
    endToEndIdentifier: endToEndId,
    value: amount(payment.valueMinor, deps),
    effectiveDate: effectiveAt,
    status: "DONE",
    type: "CREDIT",
    originType: "DYNAMIC_QRCODE",
    payment: payment.id,
  };
}

function chargebacksBody({ account, query, deps }: Context): Fields {
  const status = query.get("status");
  const found = [...account.payments.values()].flatMap((payment) =>
    payment.chargeback && (status === null || payment.chargeback.status === status)
      ? [{ payment, chargeback: payment.chargeback }]
      : [],
  );
  return listBody(found, query, ({ payment, chargeback }) => chargebackBody(payment, chargeback, deps));
}

function disputeBody({ account, id, deps }: Context): Fields {
  const payment = [...account.payments.values()].find(({ chargeback }) => chargeback?.id === id);
  if (!payment?.chargeback) throw notFound("Chargeback");
  if (payment.chargeback.status !== "REQUESTED") throw notNow("O chargeback não pode mais ser contestado.");
  moveChargeback(account, payment, "disputed", deps);
  return { chargebackId: id, status: "REQUESTED", files: [] };
}
