import { fieldsOf, JsonNumber, minorOf, textOf, wholeOf, type Fields } from "../provider/json.ts";
import { COUNT_MAX } from "./cards.ts";
import { createCustomer, findCustomer } from "./customers.ts";
import { today, type AsaasDeps } from "./deps.ts";
import { payByCard, payByPix, type CardGiven } from "./happenings.ts";
import { invalid, notFound, notNow } from "./problem.ts";
import { createPayment } from "./payments.ts";
import type { Account, Checkout, Payment } from "./state.ts";

const MINUTES = 60;
// Of a payer whose data the merchant did not send.
const PAYER = { name: "Pagador de Teste", taxId: "24971563792" };

export function createCheckout(account: Account, body: Fields, deps: AsaasDeps): Checkout {
  const billingTypes = listOf(body, "billingTypes", ["CREDIT_CARD", "PIX"]);
  const chargeTypes = listOf(body, "chargeTypes", ["DETACHED", "INSTALLMENT"]);
  const installment = fieldsOf(body["installment"]);
  if (chargeTypes.includes("INSTALLMENT") !== (installment !== undefined)) {
    throw invalid("installment", "O campo installment acompanha o tipo INSTALLMENT.");
  }
  const countMax = installment ? (wholeOf(installment["maxInstallmentCount"]) ?? 0) : 1;
  if (countMax < 1 || countMax > COUNT_MAX)
    throw invalid("installment", "O número de parcelas vai de 1 a 21.");
  const minutes = body["minutesToExpire"] === undefined ? MINUTES : (wholeOf(body["minutesToExpire"]) ?? 0);
  if (minutes < 1) throw invalid("minutesToExpire", "O prazo não é um número de minutos.");
  const customerData = fieldsOf(body["customerData"]);
  const customerId = textOf(body["customer"]);
  if (customerId !== null && customerData) throw invalid("customer", "Só um de customer e customerData.");
  if (customerId !== null) findCustomer(account, customerId);
  const checkout: Checkout = {
    id: deps.ids.uuid(),
    asked: written({ billingTypes, chargeTypes, ...body }) as Fields,
    valueMinor: totalOf(body),
    countMax,
    expiresAt: new Date(deps.clock.nowMs() + minutes * 60_000),
    urls: urlsOf(account, body),
    externalReference: textOf(body["externalReference"]),
    customer: customerData
      ? { name: textOf(customerData["name"]) ?? "", taxId: textOf(customerData["cpfCnpj"]) ?? "" }
      : null,
    customerId,
    status: "ACTIVE",
  };
  account.checkouts.set(checkout.id, checkout);
  deps.tellOfCheckout(account, "CHECKOUT_CREATED", checkout);
  return checkout;
}

export function findCheckout(account: Account, id: string): Checkout {
  const checkout = account.checkouts.get(id);
  if (!checkout) throw notFound("Checkout");
  return checkout;
}

export function cancelCheckout(account: Account, checkout: Checkout, deps: AsaasDeps): void {
  if (checkout.status !== "ACTIVE") throw notNow("O checkout não está aberto.");
  checkout.status = "CANCELED";
  deps.tellOfCheckout(account, "CHECKOUT_CANCELED", checkout);
}

/** Ends the checkouts whose time is over. */
export function expireCheckouts(account: Account, deps: AsaasDeps): void {
  for (const checkout of account.checkouts.values()) {
    if (checkout.status !== "ACTIVE" || deps.clock.now() < checkout.expiresAt) continue;
    checkout.status = "EXPIRED";
    deps.tellOfCheckout(account, "CHECKOUT_EXPIRED", checkout);
  }
}

/** A payer pays a checkout, in a number of installments of his choice. */
export function payCheckout(
  account: Account,
  checkout: Checkout,
  { count = 1, isPix = false, ...card }: CardGiven & { readonly count?: number; readonly isPix?: boolean },
  deps: AsaasDeps,
): Payment {
  if (count < 1 || count > checkout.countMax) throw new Error(`the checkout has no ${count} installments`);
  const { name, taxId } = checkout.customer ?? PAYER;
  const terms = {
    customerId: checkout.customerId ?? createCustomer(account, { name, cpfCnpj: taxId }, deps).id,
    billingType: isPix ? "PIX" : "CREDIT_CARD",
    totalMinor: checkout.valueMinor,
    count: isPix ? 1 : count,
    dueOn: today(deps),
    description: null,
    externalReference: checkout.externalReference,
    back: null,
    checkoutId: checkout.id,
  } as const;
  const payment = createPayment(account, terms, deps);
  if (isPix) payByPix(account, payment, deps);
  else payByCard(account, payment, card, deps);
  checkout.status = "PAID";
  deps.tellOfCheckout(account, "CHECKOUT_PAID", checkout);
  return payment;
}

function listOf(body: Fields, field: string, allowed: readonly string[]): readonly string[] {
  const given = body[field];
  const isRight =
    Array.isArray(given) && given.length > 0 && given.every((one) => allowed.includes(String(one)));
  if (!isRight) throw invalid(field, `O campo ${field} não é aceito aqui.`);
  return given as string[];
}

function totalOf(body: Fields): bigint {
  const items: unknown[] = Array.isArray(body["items"]) ? body["items"] : [];
  if (items.length === 0) throw invalid("items", "O checkout não tem itens.");
  return items.reduce<bigint>((sum, given) => {
    const item = fieldsOf(given) ?? {};
    const valueMinor = minorOf(item["value"]) ?? 0n;
    const quantity = wholeOf(item["quantity"]) ?? 0;
    if (valueMinor <= 0n || quantity < 1 || !textOf(item["name"]) || !textOf(item["imageBase64"])) {
      throw invalid("items", "Um item tem nome, imagem, quantidade e valor.");
    }
    return sum + valueMinor * BigInt(quantity);
  }, 0n);
}

function urlsOf({ domain }: Account, body: Fields): Checkout["urls"] {
  const given = fieldsOf(body["callback"]) ?? {};
  const [success, cancel, expired] = ["successUrl", "cancelUrl", "expiredUrl"].map((field) => {
    const url = URL.parse(textOf(given[field]) ?? "");
    if (!url || (domain !== null && url.hostname !== domain))
      throw invalid("callback", `A ${field} não é aceita.`);
    return url.href;
  });
  return { success: success ?? "", cancel: cancel ?? "", expired: expired ?? "" };
}

/** Returns what was read in the form in which it is written again. */
function written(value: unknown): unknown {
  if (value instanceof JsonNumber) return JSON.rawJSON(value.text);
  if (Array.isArray(value)) return value.map(written);
  const fields = fieldsOf(value);
  return fields
    ? Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, written(one)]))
    : value;
}
