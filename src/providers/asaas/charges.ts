import type { ChargeName } from "../card-port.ts";
import type { Asking, CallbackCharges, ChargeRequest } from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import {
  chargePath,
  chargesOf,
  dayText,
  idsIn,
  isOpen,
  isPaid,
  wrongCharge,
  type AsaasCharge,
} from "./charge.ts";
import { optionsOf, type AsaasClient } from "./client.ts";
import { AsaasCustomers } from "./customers.ts";
import { reais, wholeOf } from "./json.ts";
import { ownReference, paymentPath, planPath, readPayment, type AsaasPayment } from "./messages.ts";

/** How a charge is paid. */
export interface Billing {
  readonly type: "CREDIT_CARD" | "PIX";
  readonly installments: number;
  /** Where the payer goes back to from the page of Asaas; null: the payer does not go there. */
  readonly returnUrl: string | null;
}

/** The least amount of a payment. */
export const LEAST_CHARGE_MINOR = 500n;

const DESCRIPTION_MAX = 500;

/** What there is of a reference. */
interface Look {
  /** The first one first. */
  readonly charges: AsaasCharge[];
  readonly ofCallbacks: CallbackCharges;
}

/** The charges of an account: payments and plans by our reference. */
export class AsaasCharges {
  readonly #client: AsaasClient;
  readonly customers: AsaasCustomers;

  constructor(client: AsaasClient) {
    this.#client = client;
    this.customers = new AsaasCustomers(client);
  }

  /** Makes the customer and the charge. Throws ProviderFault: "refused" if the provider answers without a charge. */
  async make(request: ChargeRequest, billing: Billing): Promise<AsaasCharge> {
    // A charge without a page to return to is the only one of its customer.
    const place = billing.returnUrl ?? request.reference;
    return await this.customers.with(
      request,
      place,
      async (customer) => await this.#made(customer, request, billing),
    );
  }

  async #made(
    customer: string,
    request: ChargeRequest,
    { type, installments, returnUrl }: Billing,
  ): Promise<AsaasCharge> {
    const { amountMinor, description, reference, expiresAt, signal } = request;
    const common = {
      customer,
      billingType: type,
      dueDate: dayText(expiresAt),
      externalReference: reference,
      ...(description === null ? {} : { description: shortened(description) }),
      ...(installments === 1
        ? { value: reais(amountMinor) }
        : { installmentCount: installments, totalValue: reais(amountMinor) }),
    };
    const callback = { successUrl: returnUrl, autoRedirect: true };
    const made = await this.#client
      .call("POST", "/payments", { body: returnUrl === null ? common : { ...common, callback }, signal })
      .catch(async (error: unknown) => {
        // The merchant has not registered this host for the way back: the payer then comes back alone.
        if (!(error instanceof ProviderFault) || error.code !== "invalid_callback") throw error;
        return await this.#client.call("POST", "/payments", { body: common, signal });
      });
    if (!made) throw new ProviderFault("unknown", "a new charge was answered with 404");
    const first = readPayment(made);
    if (first.reference !== reference) throw wrongCharge(reference);
    const { id, planId } = first;
    const payments = planId === null ? [first] : await this.#planPayments(planId).catch(asOfMade);
    const [charge] = chargesOf(payments);
    return charge ?? { id: planId ?? id, payments: [] };
  }

  /** Returns the charges of `look`. */
  async find(name: ChargeName, asking: Asking = {}, isCheckout = false): Promise<AsaasCharge[]> {
    return (await this.look(name, asking, isCheckout)).charges;
  }

  /**
   * Returns the charges of a reference, and the one of the id also if it was removed, with the money of other removed ones
   * that callbacks named. Once it was removed, lists are read only for news of money: a twin may have been made later.
   * `isCheckout`: the id may be that of a checkout.
   */
  async look(name: ChargeName, asking: Asking = {}, isCheckout = false): Promise<Look> {
    const { reference, chargeId, isRemoved = false } = name;
    const isAlone = isRemoved && asking.isOfMoney !== true;
    const removed = isAlone ? await this.#named(chargeId, asking) : undefined;
    const listed = removed ? [] : await this.#listed(name, asking, isCheckout);
    const ids = idsIn(chargeId ?? "");
    const isListed = listed.some(({ id, planId }) => (planId ?? id) === ids.id);
    const named = removed ?? (isListed ? undefined : await this.#named(chargeId, asking));
    const known = new Set([...ids.paymentIds, ...listed.map(({ id }) => id)]);
    const asked = (asking.callbackIds ?? []).filter((id) => !known.has(id));
    const { payments, fault } = await this.#ofCallbacks(reference, asked, asking);
    // A name of an earlier release has a part of its plan, or nothing.
    const isMore = payments.some(({ planId }) => planId !== null && planId === named?.id);
    const before = named && isMore ? named.payments : [];
    const charges: AsaasCharge[] = named && !isMore ? [named] : [];
    for (const charge of chargesOf([...before, ...listed, ...payments])) {
      charges.push(await this.#compared(charge, asking));
    }
    return { charges, ofCallbacks: { ids: payments.map(({ id }) => id), fault } };
  }

  /** Returns the payments that the lists have of a reference, the first one first. */
  async #listed(
    { reference, chargeId }: ChargeName,
    asking: Asking,
    isCheckout: boolean,
  ): Promise<AsaasPayment[]> {
    const options = optionsOf(asking);
    const rows = await this.#client.list("/payments", { externalReference: reference }, options);
    // Another word for the same payments, should a checkout not pass its reference on.
    const mayBeCheckout = isCheckout && chargeId !== null && idsIn(chargeId).paymentIds.length === 0;
    if (rows.length === 0 && mayBeCheckout && asking.isPeriodic !== true) {
      rows.push(...(await this.#client.list("/payments", { checkoutSession: chargeId }, options)));
    }
    return rows
      .map(readPayment)
      .filter((payment) => (payment.reference ?? reference) === reference)
      .toReversed();
  }

  /**
   * Returns the payments of these ids that are of the reference, by Asaas' own word, and paid or about to be. Few calls that
   * are left are kept for payers: whatever the ids are, they keep nothing else from being found.
   */
  async #ofCallbacks(
    reference: string,
    ids: readonly string[],
    { signal }: Asking,
  ): Promise<{ readonly payments: readonly AsaasPayment[]; readonly fault: ProviderFault | null }> {
    const payments: AsaasPayment[] = [];
    let fault: ProviderFault | null = null;
    for (const id of ids) {
      try {
        const found = await this.#client.call("GET", paymentPath(id), { signal, purpose: "check" });
        if (!found || ownReference(found) !== reference) continue;
        const payment = readPayment(found);
        if (payment.standing === "paid" || payment.standing === "review") payments.push(payment);
      } catch (error) {
        if (!(error instanceof ProviderFault)) throw error;
        if (error.kind === "refused") continue;
        fault = error;
        if (error.isOutage || error.kind === "busy") break;
      }
    }
    return { payments, fault };
  }

  /**
   * Removes all open charges but one: a lost answer, or two requests at once, made them. It leaves the one whose page or
   * code the payer has (`known`, its name), else the first.
   */
  async withoutTwins(charges: readonly AsaasCharge[], known: string | null = null): Promise<AsaasCharge[]> {
    const busy = charges.filter((charge) => !isOpen(charge));
    const open = charges.filter(isOpen);
    const shown = known === null ? [] : open.filter(({ id }) => id === idsIn(known).id);
    const kept = busy.length > 0 ? [] : [...shown, ...open].slice(0, 1);
    await this.remove(open.filter((charge) => !kept.includes(charge)));
    return [...busy, ...kept];
  }

  /** Removes charges. Returns false if one is not there, or not open any more: it is left to the next look. */
  async remove(charges: readonly AsaasCharge[]): Promise<boolean> {
    let isRemoved = true;
    for (const charge of charges) {
      const answer = await this.#client.call("DELETE", chargePath(charge)).catch((error: unknown) => {
        if (!(error instanceof ProviderFault) || error.kind !== "refused") throw error;
        return undefined;
      });
      isRemoved &&= answer !== undefined;
    }
    return isRemoved;
  }

  /** Returns a charge that no list has, as it was removed: it may have been paid before, or after that. */
  async #named(name: string | null, asking: Asking): Promise<AsaasCharge | undefined> {
    if (name === null) return undefined;
    const { id, paymentIds } = idsIn(name);
    const payments: AsaasPayment[] = [];
    for (const paymentId of paymentIds) {
      const found = await this.#client.call("GET", paymentPath(paymentId), optionsOf(asking));
      if (!found) return undefined;
      const payment = readPayment(found);
      payments.push(payment);
      // A card pays all of a plan.
      if (payment.standing === "removed") break;
    }
    return payments.length === 0 ? undefined : { id, payments };
  }

  /** Compares a charge that looks paid with its plan: a list may not have all installments yet. */
  async #compared(charge: AsaasCharge, asking: Asking): Promise<AsaasCharge> {
    const planId = charge.payments[0]?.planId ?? null;
    if (planId === null || !isPaid(charge)) return charge;
    const plan = await this.#client.call("GET", planPath(planId), optionsOf(asking));
    const count = plan ? wholeOf(plan, "installmentCount") : null;
    return { ...charge, isPartial: charge.payments.length !== count };
  }

  async #planPayments(planId: string): Promise<AsaasPayment[]> {
    const rows = await this.#client.list(`${planPath(planId)}/payments`, {});
    return rows.map(readPayment);
  }
}

/** The charge has to be of the price that the payer saw, and in so many installments unless `count` is null. */
export function requireAmount(
  { payments }: AsaasCharge,
  { amountMinor, reference }: ChargeRequest,
  count: number | null,
): void {
  const sum = payments.reduce((minor, { valueMinor }) => minor + valueMinor, 0n);
  if (sum !== amountMinor || (count !== null && payments.length !== count)) throw wrongCharge(reference);
}

/** Throws what keeps the service from a look at what may have been made: no refusal of it. The next look finds it. */
export function asOfMade(error: unknown): never {
  if (!(error instanceof ProviderFault)) throw error;
  const { message, code, retryAfterSeconds, isOutage } = error;
  throw new ProviderFault("unknown", message, { code, retryAfterSeconds, isOutage, cause: error });
}

/** Returns a text in the length of descriptions at Asaas. */
export function shortened(text: string): string {
  return Array.from(text).slice(0, DESCRIPTION_MAX).join("");
}
