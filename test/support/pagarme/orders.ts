import { fieldsOf, textOf, wholeOf, type Fields } from "../provider/json.ts";
import { attempt } from "./attempts.ts";
import type { PagarmeDeps } from "./deps.ts";
import { invalid } from "./problem.ts";
import type { Account, Charge, Customer, Item, Order } from "./state.ts";
import { useToken } from "./tokens.ts";

const CODE_MAX = 52;
const PAYMENT = "order.payments[0]";
const CARD = `${PAYMENT}.credit_card`;

interface CardTerms {
  readonly token: string;
  readonly installments: number;
  readonly descriptor: string | null;
  readonly isCaptured: boolean;
}

/** Makes an order and tries its card. Throws Problem for what breaks the contract; a card's refusal is in the order. */
export function createOrder(account: Account, body: Fields, deps: PagarmeDeps): Order {
  const { ids, clock } = deps;
  const items = itemsOf(body, deps);
  const customer = customerOf(account, body, deps);
  const amountMinor = items.reduce((sum, item) => sum + item.amountMinor * BigInt(item.quantity), 0n);
  const terms = cardTerms(account, body, amountMinor);
  const code = textOf(body["code"]) ?? ids.token(10).toUpperCase();
  if (code === "" || code.length > CODE_MAX) throw invalid("order.code", "The code is empty or long.");
  if (body["closed"] === false) throw invalid("order.closed", "Only closed orders are made here.");
  const token = useToken(account, terms.token, `${CARD}.card_token`, deps);
  const createdAt = clock.now();
  const order: Order = {
    id: ids.form("order", `or_${ids.token(16)}`),
    code,
    amountMinor,
    items,
    customer,
    metadata: fieldsOf(body["metadata"]) ?? {},
    createdAt,
    charges: [],
    status: "pending",
    updatedAt: createdAt,
    hiddenUntil: null,
  };
  const charge: Charge = {
    id: ids.form("charge", `ch_${ids.token(16)}`),
    code,
    order,
    amountMinor,
    installments: terms.installments,
    createdAt,
    transactions: [],
    status: "pending",
    paidMinor: 0n,
    canceledMinor: 0n,
    updatedAt: createdAt,
    paidAt: null,
    canceledAt: null,
  };
  order.charges.push(charge);
  account.orders.set(order.id, order);
  account.charges.set(charge.id, charge);
  deps.tellOfOrder(account, "order.created", order);
  attempt(account, charge, { card: token.card, outcome: outcomeFor(customer, token, deps), ...terms }, deps);
  return order;
}

/** The documents name a payer whom the antifraud refuses. */
function outcomeFor({ document }: Customer, token: ReturnType<typeof useToken>, deps: PagarmeDeps) {
  const decided = deps.decided();
  if (decided) return decided;
  return document === "11111111111" ? ({ kind: "refused_by_antifraud" } as const) : token.outcome;
}

function itemsOf(body: Fields, { ids }: PagarmeDeps): Item[] {
  const given: unknown[] = Array.isArray(body["items"]) ? body["items"] : [];
  if (given.length === 0) throw invalid("order.items", "The items field is required.");
  return given.map((one, index) => {
    const item = fieldsOf(one) ?? {};
    const amount = wholeOf(item["amount"]) ?? 0;
    const quantity = wholeOf(item["quantity"]) ?? 0;
    const description = textOf(item["description"]) ?? "";
    if (amount < 1) throw invalid(`order.items[${index}].amount`, "The amount is a number of centavos.");
    if (quantity < 1) throw invalid(`order.items[${index}].quantity`, "The quantity is at least 1.");
    if (description === "") throw invalid(`order.items[${index}].description`, "The description is missing.");
    return {
      id: `oi_${ids.token(16)}`,
      amountMinor: BigInt(amount),
      quantity,
      description,
      code: textOf(item["code"]),
    };
  });
}

function customerOf({ isAntifraudOn }: Account, body: Fields, { ids }: PagarmeDeps): Customer {
  const given = fieldsOf(body["customer"]);
  if (!given) throw invalid("order.customer", "The customer field is required.");
  const demanded = isAntifraudOn ? ["name", "email", "document", "phones", "address"] : ["name"];
  for (const field of demanded) {
    const value = given[field];
    if (value === undefined || value === null || value === "") {
      throw invalid(`order.customer.${field}`, `The ${field} field is required.`);
    }
  }
  return {
    id: `cus_${ids.token(16)}`,
    name: textOf(given["name"]) ?? "",
    email: textOf(given["email"]) ?? "",
    document: textOf(given["document"]),
    type: textOf(given["type"]),
  };
}

function cardTerms({ isGateway }: Account, body: Fields, amountMinor: bigint): CardTerms {
  const payments: unknown[] = Array.isArray(body["payments"]) ? body["payments"] : [];
  const payment = fieldsOf(payments[0]);
  if (!payment || payments.length > 1) throw invalid("order.payments", "One payment is made here.");
  const card = fieldsOf(payment["credit_card"]);
  if (payment["payment_method"] !== "credit_card" || !card) {
    throw invalid(`${PAYMENT}.payment_method`, "The method is not accepted here.");
  }
  const given = payment["amount"];
  if (given !== undefined && BigInt(wholeOf(given) ?? 0) !== amountMinor) {
    throw invalid(`${PAYMENT}.amount`, "The amount is not that of the items.");
  }
  const installments = card["installments"] === undefined ? 1 : (wholeOf(card["installments"]) ?? 0);
  const most = isGateway ? 24 : 18;
  if (installments < 1 || installments > most) {
    throw invalid(`${CARD}.installments`, `The installments are from 1 to ${most}.`);
  }
  const descriptor = textOf(card["statement_descriptor"]);
  if ((descriptor ?? "").length > (isGateway ? 22 : 13))
    throw invalid(`${CARD}.statement_descriptor`, "It is long.");
  const operation = card["operation_type"] ?? "auth_and_capture";
  if (operation !== "auth_and_capture" && operation !== "auth_only") {
    throw invalid(`${CARD}.operation_type`, "The operation is not made here.");
  }
  // A number in the request is of a merchant who may see numbers, which ours must not.
  if (card["card"] !== undefined) throw invalid(`${CARD}.card`, "This account sends tokens.");
  return {
    token: textOf(card["card_token"]) ?? "",
    installments,
    descriptor,
    isCaptured: operation !== "auth_only",
  };
}
