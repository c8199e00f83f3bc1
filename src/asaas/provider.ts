import type {
  Asking,
  CardProvider,
  CardRequest,
  CardState,
  CardTerms,
  ChargeName,
} from "../providers/card-port.ts";
import type { CallbackReference, ProviderReturn, RefundRequest } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { readCallback } from "./callback.ts";
import {
  chargesOf,
  dayText,
  isOpen,
  refundIdOf,
  requireAmount,
  returnOf,
  stateOf,
  wrongCharge,
  type AsaasCharge,
} from "./charge.ts";
import { cancelCheckout, openCheckout } from "./checkout.ts";
import { optionsOf, type AsaasClient } from "./client.ts";
import { AsaasCustomers } from "./customers.ts";
import { reais, rowsOf, type Fields } from "./json.ts";
import { isPlan, pathOf, readPayment, readRefund, type AsaasPayment } from "./messages.ts";

const TERMS: CardTerms = {
  style: "redirect",
  installments: { visa: 21, mastercard: 21, other: 12 },
  leastInstallmentMinor: 500n,
  payerFields: ["name", "document"],
};
const DESCRIPTION_MAX = 500;

/**
 * Cards by Asaas: the payer types the card on the page of an invoice. An invoice takes no money by itself, so one that a
 * lost answer left behind is removed as soon as it is found.
 */
export class AsaasCards implements CardProvider {
  readonly terms = TERMS;
  readonly #client: AsaasClient;
  readonly #customers: AsaasCustomers;

  constructor(client: AsaasClient) {
    this.#client = client;
    this.#customers = new AsaasCustomers(client);
  }

  get isScarce(): boolean {
    return this.#client.isScarce;
  }

  get accountId(): string {
    return this.#client.account.id;
  }

  get #isCheckout(): boolean {
    return this.#client.account.page === "checkout";
  }

  async authorize(request: CardRequest): Promise<CardState> {
    const { reference, isRepeated } = request;
    const earlier = isRepeated ? await this.#charges({ reference, chargeId: null }) : [];
    if (earlier.length === 0 && this.#isCheckout) {
      const open = async (customer: string) => await openCheckout(this.#client, request, customer);
      return this.#checked(await this.#customers.with(request, open));
    }
    const charges = earlier.length > 0 ? await this.#withoutTwins(earlier) : [await this.#made(request)];
    // At a checkout a payer may have chosen fewer installments.
    const count = this.#isCheckout ? null : request.installments;
    for (const { payments } of charges) requireAmount(payments, request, count);
    return this.#checked(stateOf(charges, this.#client.now()));
  }

  async find(name: ChargeName, asking: Asking = {}): Promise<CardState> {
    const charges = await this.#withoutTwins(await this.#charges(name, asking));
    return this.#checked(stateOf(charges, this.#client.now()));
  }

  async cancel(name: ChargeName): Promise<CardState> {
    const { chargeId } = name;
    const isCheckout = this.#isCheckout && chargeId !== null && isPlan(chargeId);
    if (isCheckout) await cancelCheckout(this.#client, chargeId);
    const charges = await this.#charges(name);
    const open = charges.filter(isOpen);
    let isRemoved = true;
    for (const charge of open) isRemoved = (await this.#remove(charge)) && isRemoved;
    // An account may have had the other page when the charge was made.
    const isOther = !isCheckout && chargeId !== null && isPlan(chargeId) && charges.length === 0;
    if (isOther) await cancelCheckout(this.#client, chargeId);
    const left = open.length === 0 && !isOther ? charges : await this.#left(name, charges);
    const state = this.#checked(stateOf(left, this.#client.now()));
    // No list has what was removed, and a checkout without a payment is over.
    const isOver = isRemoved && (isCheckout || open.length > 0);
    return isOver && left.length === 0 ? { ...state, progress: { status: "canceled" }, chargeId } : state;
  }

  async refund(request: RefundRequest): Promise<ProviderReturn> {
    // Asaas knows no id of a refund: one whose answer was lost is found by its description.
    const earlier = await this.findRefund(request);
    if (earlier) return earlier;
    const { refundId, providerPaymentId, amountMinor, reason } = request;
    const description = shortened(reason === null ? refundId : `${refundId} ${reason}`);
    const body = { value: reais(amountMinor), description };
    const made = await this.#client.call("POST", `${pathOf(providerPaymentId)}/refund`, { body });
    if (!made) throw new ProviderFault("refused", "Asaas does not know the money", { code: "not_found" });
    const found = await this.findRefund(request);
    if (!found) throw new ProviderFault("unknown", "a refund is not there yet");
    return found;
  }

  async findRefund({
    refundId,
    providerPaymentId,
  }: Pick<RefundRequest, "refundId" | "providerPaymentId">): Promise<ProviderReturn | undefined> {
    const rows = await this.#refundRows(providerPaymentId);
    const parts = rows
      .map((row) => readRefund(row, providerPaymentId))
      .filter((one) => refundIdOf(one) === refundId);
    if (parts.length === 0) return undefined;
    return returnOf(refundId, providerPaymentId, parts, this.#client.now());
  }

  readCallback(body: string): readonly CallbackReference[] {
    return readCallback(body);
  }

  /** Makes the customer and the charge. Throws ProviderFault: "refused" if the provider answers without a charge. */
  async #made(request: CardRequest): Promise<AsaasCharge> {
    return await this.#customers.with(request, async (customer) => await this.#madeFor(customer, request));
  }

  async #madeFor(customer: string, request: CardRequest): Promise<AsaasCharge> {
    const { installments, amountMinor, description, reference, expiresAt, returnUrl } = request;
    const common = {
      customer,
      billingType: "CREDIT_CARD",
      dueDate: dayText(expiresAt),
      externalReference: reference,
      ...(description === null ? {} : { description: shortened(description) }),
      ...(installments === 1
        ? { value: reais(amountMinor) }
        : { installmentCount: installments, totalValue: reais(amountMinor) }),
    };
    const callback = { successUrl: returnUrl, autoRedirect: true };
    const made = await this.#client
      .call("POST", "/payments", { body: { ...common, callback } })
      .catch(async (error: unknown) => {
        // The merchant has not registered this host for the way back: the payer then comes back alone.
        if (!(error instanceof ProviderFault) || error.code !== "invalid_callback") throw error;
        return await this.#client.call("POST", "/payments", { body: common });
      });
    if (!made) throw new ProviderFault("unknown", "a new charge was answered with 404");
    const first = readPayment(made);
    if (first.reference !== reference) throw wrongCharge(reference);
    const { id, planId } = first;
    const [charge] = chargesOf(planId === null ? [first] : await this.#planPayments(planId));
    return charge ?? { id: planId ?? id, payments: [] };
  }

  /** Returns the charges of a reference, the first one first, and the one of the id also if it was removed. */
  async #charges(
    { reference, chargeId, isRemoved }: ChargeName,
    asking: Asking = {},
  ): Promise<AsaasCharge[]> {
    const options = optionsOf(asking);
    const removed = isRemoved === true && chargeId !== null && (await this.#named(chargeId, asking));
    if (removed) return [removed];
    const rows = await this.#client.list("/payments", { externalReference: reference }, options);
    // Another word for the same payments, should a checkout not pass its reference on.
    if (rows.length === 0 && chargeId !== null && this.#isCheckout && asking.isPeriodic !== true) {
      rows.push(...(await this.#client.list("/payments", { checkoutSession: chargeId }, options)));
    }
    const payments = rows
      .map(readPayment)
      .filter((payment) => (payment.reference ?? reference) === reference);
    const charges = chargesOf(payments.toReversed());
    if (chargeId === null || charges.some(({ id }) => id === chargeId)) return charges;
    const named = await this.#named(chargeId, asking);
    return named ? [named, ...charges] : charges;
  }

  /** Returns what there is after a removal. That of one payment alone is in no list. */
  async #left(name: ChargeName, [charge, ...others]: readonly AsaasCharge[]): Promise<AsaasCharge[]> {
    return await this.#charges({
      reference: name.reference,
      chargeId: charge?.id ?? name.chargeId,
      isRemoved: others.length === 0 && charge !== undefined,
    });
  }

  /** Returns a charge that no list has, as it was removed: it may have been paid before. */
  async #named(id: string, asking: Asking): Promise<AsaasCharge | undefined> {
    if (isPlan(id)) return undefined;
    const found = await this.#client.call("GET", `/payments/${id}`, optionsOf(asking));
    return found && { id, payments: [readPayment(found)] };
  }

  /** Removes all open charges but the first: a lost answer, or two requests at once, made them. */
  async #withoutTwins(charges: readonly AsaasCharge[]): Promise<AsaasCharge[]> {
    const busy = charges.filter((charge) => !isOpen(charge));
    const open = charges.filter(isOpen);
    const kept = busy.length > 0 ? [] : open.slice(0, 1);
    for (const twin of open.filter((charge) => !kept.includes(charge))) await this.#remove(twin);
    return [...busy, ...kept];
  }

  /** Removes a charge. Returns false for one that is not there, or not open any more: it is left to the next look. */
  async #remove({ id }: AsaasCharge): Promise<boolean> {
    const removed = await this.#client.call("DELETE", pathOf(id)).catch((error: unknown) => {
      if (!(error instanceof ProviderFault) || error.kind !== "refused") throw error;
      return undefined;
    });
    return removed !== undefined;
  }

  async #planPayments(planId: string): Promise<AsaasPayment[]> {
    const rows = await this.#client.list(`/installments/${planId}/payments`, {});
    return rows.map(readPayment);
  }

  async #refundRows(providerPaymentId: string): Promise<Fields[]> {
    if (!isPlan(providerPaymentId)) {
      return await this.#client.list(`${pathOf(providerPaymentId)}/refunds`, {});
    }
    const plan = await this.#client.call("GET", pathOf(providerPaymentId));
    return plan ? rowsOf(plan, "refunds") : [];
  }

  /** Throws ProviderFault for a page to which no payer may be sent. */
  #checked(state: CardState): CardState {
    const { progress } = state;
    if (progress.status !== "challenge") return state;
    const protocol = URL.parse(progress.url)?.protocol;
    const isDemo = this.#client.account.baseUrl.startsWith("http:");
    if (protocol === "https:" || (isDemo && protocol === "http:")) return state;
    throw new ProviderFault("unknown", "the page of a charge is no https address", { code: "wrong_page" });
  }
}

function shortened(text: string): string {
  return Array.from(text).slice(0, DESCRIPTION_MAX).join("");
}
