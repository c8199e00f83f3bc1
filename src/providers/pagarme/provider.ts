import type {
  CardProvider,
  CardRequest,
  CardState,
  CardTerms,
  ChargeName,
  SettlementFacts,
} from "../card-port.ts";
import type { Asking, CallbackReference, ProviderReturn, RefundLookup, RefundRequest } from "../ports.ts";
import { isProviderId } from "../answer-fields.ts";
import type { KnownCard } from "../decline.ts";
import { ProviderFault } from "../provider-fault.ts";
import { readCallback } from "./callback.ts";
import { disputesOfCharge } from "./disputes.ts";
import { isRefund, returnOf, returnsOf, stateOf } from "./charge.ts";
import type { PagarmeClient } from "./client.ts";
import { objectOf } from "./fields.ts";
import {
  readCard,
  readCharge,
  readOrder,
  readPayable,
  readTransaction,
  type PagarmeCharge,
  type PagarmeOrder,
  type PagarmePayable,
  type PagarmeTransaction,
} from "./messages.ts";
import { orderOf } from "./order.ts";
import { foundAmong } from "./refund-by-transaction.ts";
import { settlementOf, withDisputes } from "./settlement.ts";

// Rows of one reference or charge: a charge is tried once, and given back in parts.
const ORDERS_MAX = 10;
const TRANSACTIONS_PAGE = 30;
const TRANSACTIONS_PAGES_MAX = 10;
// Each refund has one for each installment.
const PAYABLES_PAGE = 500;
const PAYABLES_PAGES_MAX = 8;

/**
 * Cards by Pagar.me: the payer's browser gets a token there, and an order is paid by it at once. The order's code is our
 * reference, which is its idempotency key too.
 */
export class PagarmeCards implements CardProvider {
  readonly terms: CardTerms;
  readonly #client: PagarmeClient;

  constructor(client: PagarmeClient) {
    this.#client = client;
    const { baseUrl, publicKey, installmentsMax, leastInstallmentMinor, payerFields } = client.account;
    this.terms = {
      style: "token",
      installments: { other: installmentsMax },
      leastInstallmentMinor,
      payerFields,
      tokenUrl: `${baseUrl}/tokens?appId=${encodeURIComponent(publicKey)}`,
    };
  }

  get accountId(): string {
    return this.#client.account.id;
  }

  async authorize(request: CardRequest): Promise<CardState> {
    const { reference, isRepeated } = request;
    if (isRepeated) {
      const earlier = await this.find({ reference, chargeId: null });
      if (earlier.progress.status !== "absent") return earlier;
    }
    if (!isProviderId(request.token)) {
      throw new ProviderFault("refused", "a card's token has another form", { code: "wrong_token" });
    }
    const made = await this.#client.call("POST", "/orders", { body: orderOf(request), key: reference });
    if (!made) throw new ProviderFault("unknown", "a new order was answered with 404");
    // A refusal by the card's issuer is in an order, too.
    const order = readOrder(made);
    requireOwn(order, request);
    return await this.#stateOf(order.charges);
  }

  async find({ reference, hasReturns }: ChargeName, { signal }: Asking = {}): Promise<CardState> {
    return await this.#stateOf(await this.#charges(reference, signal), signal, hasReturns);
  }

  /** Frees what waits for a decision. What is paid stays. */
  async cancel({ reference }: ChargeName): Promise<CardState> {
    for (const { id, standing } of await this.#charges(reference)) {
      if (standing !== "waiting") continue;
      await this.#client.call("DELETE", chargePath(id)).catch((error: unknown) => {
        // What is at the acquirer cannot be freed, or it is decided by now: the next look says.
        if (!(error instanceof ProviderFault) || error.kind !== "refused") throw error;
      });
    }
    return await this.find({ reference, chargeId: null });
  }

  async refund(request: Omit<RefundRequest, "reason">): Promise<ProviderReturn> {
    const { refundId, providerPaymentId, amountMinor } = request;
    const made = await this.#client.call("DELETE", chargePath(providerPaymentId), {
      body: { amount: Number(amountMinor) },
    });
    if (!made) throw new ProviderFault("refused", "Pagar.me does not know the money", { code: "not_found" });
    const answered = readCharge(made).last;
    if (!answered || !isRefund(answered) || answered.amountMinor !== amountMinor) {
      throw new ProviderFault("unknown", "the answer to a refund is of another one", {
        code: "wrong_refund",
      });
    }
    return returnOf(refundId, providerPaymentId, answered, this.#client.now());
  }

  async findRefund(request: RefundLookup): Promise<ProviderReturn | undefined> {
    return foundAmong(request, await this.#transactions(request.providerPaymentId), this.#client.now());
  }

  async cardOf(token: string): Promise<KnownCard | null> {
    if (!isProviderId(token)) return null;
    const found = await this.#client.token(token);
    const card = found && objectOf(found, "card");
    return card ? readCard(card) : null;
  }

  readCallback(body: string): readonly CallbackReference[] {
    return readCallback(body);
  }

  async settlementFacts(providerPaymentId: string, signal?: AbortSignal): Promise<SettlementFacts> {
    const payables = await this.#payables(providerPaymentId, signal);
    const disputes = await disputesOfCharge(this.#client, payables, signal);
    return withDisputes(settlementOf(payables), disputes);
  }

  async #charges(reference: string, signal?: AbortSignal): Promise<PagarmeCharge[]> {
    const rows = await this.#client.list("/orders", { code: reference }, { size: ORDERS_MAX, signal });
    const orders = rows.map(readOrder).filter(({ code }) => code === reference);
    return orders.flatMap(({ charges }) => charges);
  }

  /** A charge whose chargeback was won is paid, as if nothing of it had gone back: `hasReturns` is true for it. */
  async #stateOf(
    charges: readonly PagarmeCharge[],
    signal?: AbortSignal,
    hasReturns = false,
  ): Promise<CardState> {
    const returns: ProviderReturn[] = [];
    for (const charge of charges) {
      if (!(charge.hasReturns || hasReturns) || charge.paidAt === null) continue;
      const payables = await this.#payables(charge.id, signal);
      const transactions = await this.#transactions(charge.id, signal);
      returns.push(...returnsOf(charge, transactions, payables, this.#client.now()));
    }
    return stateOf(charges, returns);
  }

  async #payables(chargeId: string, signal?: AbortSignal): Promise<PagarmePayable[]> {
    const rows = await this.#client.list(
      "/payables",
      { charge_id: chargeId },
      { size: PAYABLES_PAGE, pagesMax: PAYABLES_PAGES_MAX, hasCursors: true, signal },
    );
    return [...new Map(rows.map(readPayable).map((row) => [row.id, row])).values()];
  }

  async #transactions(chargeId: string, signal?: AbortSignal): Promise<PagarmeTransaction[]> {
    const path = `${chargePath(chargeId)}/transactions`;
    const pages = { size: TRANSACTIONS_PAGE, pagesMax: TRANSACTIONS_PAGES_MAX, signal };
    const rows = (await this.#client.list(path, {}, pages)).map(readTransaction);
    return [...new Map(rows.map((row) => [row.id, row])).values()];
  }
}

function chargePath(id: string): string {
  return `/charges/${encodeURIComponent(id)}`;
}

/** The order that was made has to be of the price and the number of installments that the payer saw. */
function requireOwn({ code, amountMinor, charges }: PagarmeOrder, request: CardRequest): void {
  const isWrong = charges.some(
    ({ last }) => last?.installments != null && last.installments !== request.installments,
  );
  const isOwn = code === request.reference && amountMinor === request.amountMinor && charges.length > 0;
  if (isOwn && !isWrong) return;
  const message = `the provider's order of ${request.reference} is another one`;
  throw new ProviderFault("unknown", message, { code: "wrong_charge" });
}
