import type { Fields } from "../provider/json.ts";
import type { Charge, Hook, Order, Payable, Transaction } from "./state.ts";

export function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

function timeOrNull(at: Date | null): string | null {
  return at && timeText(at);
}

function whole(minor: bigint): object {
  return JSON.rawJSON(String(minor));
}

export function orderBody(order: Order): Fields {
  return {
    id: order.id,
    code: order.code,
    amount: whole(order.amountMinor),
    currency: "BRL",
    closed: true,
    items: order.items.map((item) => ({
      id: item.id,
      type: "product",
      description: item.description,
      amount: whole(item.amountMinor),
      quantity: item.quantity,
      status: "active",
      code: item.code,
      created_at: timeText(order.createdAt),
      updated_at: timeText(order.createdAt),
    })),
    customer: customerBody(order),
    status: order.status,
    created_at: timeText(order.createdAt),
    updated_at: timeText(order.updatedAt),
    closed_at: timeText(order.createdAt),
    charges: order.charges.map((charge) => innerCharge(charge)),
    metadata: order.metadata,
  };
}

export function chargeBody(charge: Charge): Fields {
  const { order } = charge;
  return {
    ...innerCharge(charge),
    order: {
      id: order.id,
      code: order.code,
      amount: whole(order.amountMinor),
      closed: true,
      currency: "BRL",
      status: order.status,
      customer_id: order.customer.id,
      created_at: timeText(order.createdAt),
      updated_at: timeText(order.updatedAt),
    },
  };
}

function innerCharge(charge: Charge): Fields {
  const last = charge.transactions.at(-1);
  return {
    id: charge.id,
    code: charge.code,
    gateway_id: last?.gatewayId ?? null,
    amount: whole(charge.amountMinor),
    ...(charge.paidAt ? { paid_amount: whole(charge.paidMinor) } : {}),
    ...(charge.canceledMinor > 0n ? { canceled_amount: whole(charge.canceledMinor) } : {}),
    status: charge.status,
    currency: "BRL",
    payment_method: "credit_card",
    paid_at: timeOrNull(charge.paidAt),
    canceled_at: timeOrNull(charge.canceledAt),
    created_at: timeText(charge.createdAt),
    updated_at: timeText(charge.updatedAt),
    customer: customerBody(charge.order),
    last_transaction: last ? transactionBody(last) : null,
    metadata: charge.order.metadata,
  };
}

function customerBody({ customer, createdAt }: Order): Fields {
  return {
    id: customer.id,
    name: customer.name,
    email: customer.email,
    document: customer.document,
    type: customer.type,
    delinquent: false,
    created_at: timeText(createdAt),
    updated_at: timeText(createdAt),
    phones: {},
  };
}

const SUCCESSES = new Set([
  "captured",
  "authorized_pending_capture",
  "refunded",
  "partial_refunded",
  "voided",
]);

export function transactionBody(transaction: Transaction): Fields {
  const { card, status, antifraud } = transaction;
  const isError = status === "with_error";
  return {
    id: transaction.id,
    transaction_type: "credit_card",
    gateway_id: transaction.gatewayId,
    amount: whole(transaction.amountMinor),
    status,
    success: SUCCESSES.has(status),
    installments: transaction.installments,
    funding_source: "credit",
    statement_descriptor: transaction.statementDescriptor,
    acquirer_name: "simulator",
    acquirer_tid: transaction.id.slice(-9),
    acquirer_nsu: transaction.id.slice(-6),
    acquirer_auth_code: status === "captured" ? transaction.id.slice(-3) : null,
    acquirer_message: transaction.message,
    acquirer_return_code: transaction.returnCode,
    operation_type: transaction.operationType,
    card: {
      id: card.id,
      first_six_digits: card.first6,
      last_four_digits: card.last4,
      brand: card.brand,
      holder_name: card.holderName,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      status: "active",
      type: "credit",
      created_at: timeText(transaction.createdAt),
      updated_at: timeText(transaction.createdAt),
    },
    created_at: timeText(transaction.createdAt),
    updated_at: timeText(transaction.createdAt),
    gateway_response: {
      code: isError ? "500" : "200",
      errors: isError ? [{ message: "acquirer timeout" }] : [],
    },
    antifraud_response: antifraud === null ? {} : { status: antifraud, provider_name: "simulator" },
    metadata: {},
  };
}

export function payableBody(payable: Payable, day: string): Fields {
  const { charge } = payable;
  return {
    id: payable.otherId ?? String(payable.id),
    status: payable.paymentOn <= day ? "paid" : "waiting_funds",
    amount: whole(payable.amountMinor),
    fee: whole(payable.feeMinor),
    anticipation_fee: whole(payable.anticipationFeeMinor),
    fraud_coverage_fee: 0,
    installment: payable.installment,
    gateway_id: charge.transactions[0]?.gatewayId ?? null,
    charge_id: charge.id,
    split_id: null,
    bulk_anticipation_id: null,
    anticipation_id: null,
    recipient_id: `rp_${charge.order.customer.id.slice(4)}`,
    originator_model: null,
    originator_model_id: null,
    payment_date: `${payable.paymentOn}T00:00:00Z`,
    original_payment_date: `${payable.originalOn}T00:00:00Z`,
    type: payable.type,
    payment_method: "credit_card",
    accrual_at: timeText(payable.createdAt),
    created_at: timeText(payable.createdAt),
    liquidation_arrangement_id: null,
    settlement_id: payable.settlementId ?? null,
    payment_profile_id: null,
  };
}

export function hookBody({ id, type, url, status, createdAt }: Hook): Fields {
  return { id, url, event: type, status, attempts: "1/3", created_at: timeText(createdAt) };
}
