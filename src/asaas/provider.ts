import type { CardProvider, CardRequest, CardState, CardTerms, ChargeName } from "../providers/card-port.ts";
import type { CallbackReference, ProviderReturn, RefundRequest } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { readCallback } from "./callback.ts";
import { chargesOf, dayText, isOpen, refundIdOf, returnOf, stateOf, type AsaasCharge } from "./charge.ts";
import { cancelCheckout, openCheckout } from "./checkout.ts";
import type { AsaasClient } from "./client.ts";
import { reais, rowsOf, type Fields } from "./json.ts";
import { idOf, readPayment, readRefund, type AsaasPayment } from "./messages.ts";

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

  constructor(client: AsaasClient) {
    this.#client = client;
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
      return this.#checked(await openCheckout(this.#client, request, await this.#customer(request)));
    }
    const charges = earlier.length > 0 ? await this.#withoutTwins(earlier) : [await this.#made(request)];
    // At a checkout a payer may have chosen fewer installments.
    const count = this.#isCheckout ? null : request.installments;
    for (const { payments } of charges) requireAmount(payments, request, count);
    return this.#checked(stateOf(charges, this.#client.now()));
  }

  async find(name: ChargeName, signal?: AbortSignal): Promise<CardState> {
    const charges = await this.#withoutTwins(await this.#charges(name, signal));
    return this.#checked(stateOf(charges, this.#client.now()));
  }

  async cancel(name: ChargeName): Promise<void> {
    const charges = await this.#charges(name);
    for (const charge of charges) if (isOpen(charge)) await this.#remove(charge);
    const { chargeId } = name;
    // An account may have had the other page when the charge was made.
    const isOther = chargeId !== null && isPlan(chargeId) && charges.every(({ id }) => id !== chargeId);
    if (isOther) await cancelCheckout(this.#client, chargeId);
  }

  /** Asaas has no idempotency key. What may have been made before is to be looked for first. */
  async refund(request: RefundRequest): Promise<ProviderReturn> {
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
    const customer = await this.#customer(request);
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

  /** Returns the id of the charge's own customer: Asaas is to tell them nothing itself. */
  async #customer({ reference, payer, isRepeated }: CardRequest): Promise<string> {
    const query = { externalReference: reference };
    const [earlier] = isRepeated ? await this.#client.list("/customers", query) : [];
    if (earlier) return idOf(earlier, "id");
    const body = {
      name: payer.name ?? "",
      cpfCnpj: payer.document ?? "",
      externalReference: reference,
      notificationDisabled: true,
    };
    const made = await this.#client.call("POST", "/customers", { body });
    if (!made) throw new ProviderFault("unknown", "a new customer was answered with 404");
    return idOf(made, "id");
  }

  /** Returns the charges of a reference, the first one first, and the one of the id also if it was removed. */
  async #charges({ reference, chargeId }: ChargeName, signal?: AbortSignal): Promise<AsaasCharge[]> {
    const rows = await this.#client.list("/payments", { externalReference: reference }, signal);
    // Another word for the same payments, should a checkout not pass its reference on.
    if (rows.length === 0 && chargeId !== null && this.#isCheckout) {
      rows.push(...(await this.#client.list("/payments", { checkoutSession: chargeId }, signal)));
    }
    const payments = rows
      .map(readPayment)
      .filter((payment) => (payment.reference ?? reference) === reference);
    const charges = chargesOf(payments.toReversed());
    if (chargeId === null || charges.some(({ id }) => id === chargeId)) return charges;
    const named = await this.#named(chargeId, signal);
    return named ? [named, ...charges] : charges;
  }

  /** Returns a charge that no list has, as it was removed: it may have been paid before. */
  async #named(id: string, signal?: AbortSignal): Promise<AsaasCharge | undefined> {
    if (isPlan(id)) return undefined;
    const found = await this.#client.call("GET", `/payments/${id}`, { signal });
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

  /** Removes a charge. One that is not there, or is not open any more, is left to the next look. */
  async #remove({ id }: AsaasCharge): Promise<void> {
    await this.#client.call("DELETE", pathOf(id)).catch((error: unknown) => {
      if (!(error instanceof ProviderFault) || error.kind !== "refused") throw error;
    });
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

/** The charge that was made has to be of the price that the payer saw, in so many installments unless `count` is null. */
function requireAmount(
  payments: readonly AsaasPayment[],
  { amountMinor, reference }: CardRequest,
  count: number | null,
): void {
  const sum = payments.reduce((minor, { valueMinor }) => minor + valueMinor, 0n);
  if (sum !== amountMinor || (count !== null && payments.length !== count)) throw wrongCharge(reference);
}

function wrongCharge(reference: string): ProviderFault {
  const message = `the provider's charge of ${reference} is another one`;
  return new ProviderFault("unknown", message, { code: "wrong_charge" });
}

/** Payments and plans have ids of two forms. */
function isPlan(id: string): boolean {
  return !id.startsWith("pay_");
}

function pathOf(id: string): string {
  return `/${isPlan(id) ? "installments" : "payments"}/${encodeURIComponent(id)}`;
}

function shortened(text: string): string {
  return Array.from(text).slice(0, DESCRIPTION_MAX).join("");
}
