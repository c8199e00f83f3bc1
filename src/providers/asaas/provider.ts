import { webAddress } from "../../../contract/web-address.ts";
import type {
  CardProvider,
  CardRequest,
  CardState,
  CardTerms,
  ChargeName,
  SettlementFacts,
} from "../card-port.ts";
import type { Asking, CallbackReference, ProviderReturn, RefundRequest } from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import { readCallback } from "./callback.ts";
import { chargeNameOf, idsIn, isOpen, stateOf, type AsaasCharge } from "./charge.ts";
import { asOfMade, AsaasCharges, LEAST_CHARGE_MINOR, requireAmount } from "./charges.ts";
import { cancelCheckout, openCheckout } from "./checkout.ts";
import type { AsaasClient } from "./client.ts";
import { pathsOf } from "./messages.ts";
import { AsaasRefunds } from "./refunds.ts";
import { settlementOf } from "./settlement.ts";

const TERMS: CardTerms = {
  style: "redirect",
  installments: { visa: 21, mastercard: 21, other: 12 },
  leastInstallmentMinor: LEAST_CHARGE_MINOR,
  payerFields: ["name", "document"],
};

/**
 * Cards by Asaas: the payer types the card on its page. An invoice takes no money by itself, so one that a lost answer left
 * behind is removed as soon as it is found.
 */
export class AsaasCards implements CardProvider {
  readonly terms = TERMS;
  readonly #client: AsaasClient;
  readonly #charges: AsaasCharges;
  readonly #refunds: AsaasRefunds;

  constructor(client: AsaasClient) {
    this.#client = client;
    this.#charges = new AsaasCharges(client);
    this.#refunds = new AsaasRefunds(client);
  }

  get accountId(): string {
    return this.#client.account.id;
  }

  get #isCheckout(): boolean {
    return this.#client.account.page === "checkout";
  }

  async authorize(request: CardRequest): Promise<CardState> {
    const { reference, isRepeated, installments, returnUrl } = request;
    const found = isRepeated ? this.#charges.find({ reference, chargeId: null }).catch(asOfMade) : [];
    const earlier = await found;
    if (earlier.length === 0 && this.#isCheckout) {
      const open = async (customer: string) => await openCheckout(this.#client, request, customer);
      return this.#checked(await this.#charges.customers.with(request, returnUrl, open));
    }
    const charges =
      earlier.length > 0
        ? await this.#charges.withoutTwins(earlier)
        : [await this.#charges.make(request, { type: "CREDIT_CARD", installments, returnUrl })];
    // At a checkout a payer may have chosen fewer installments.
    const count = this.#isCheckout ? null : installments;
    for (const charge of charges) requireAmount(charge, request, count);
    return this.#checked(stateOf(charges, this.#client.now()));
  }

  async find(name: ChargeName, asking: Asking = {}): Promise<CardState> {
    const { charges: found, ofCallbacks } = await this.#charges.look(name, asking, this.#isCheckout);
    const charges = await this.#charges.withoutTwins(found, name.chargeId);
    return { ...this.#checked(keptName(name, stateOf(charges, this.#client.now()))), ofCallbacks };
  }

  async cancel(name: ChargeName): Promise<CardState> {
    const { chargeId } = name;
    const mayBeCheckout = chargeId !== null && isCheckoutName(chargeId);
    const isCheckout = this.#isCheckout && mayBeCheckout;
    if (isCheckout) await cancelCheckout(this.#client, chargeId);
    const charges = await this.#charges.find(name, {}, this.#isCheckout);
    const open = charges.filter(isOpen);
    const isRemoved = await this.#charges.remove(open);
    // An account may have had the other page when the charge was made.
    const isOther = !isCheckout && mayBeCheckout && charges.length === 0;
    if (isOther) await cancelCheckout(this.#client, chargeId);
    const left = open.length === 0 && !isOther ? charges : await this.#left(name, charges);
    const state = this.#checked(keptName(name, stateOf(left, this.#client.now())));
    // No list has what was removed, and a checkout without a payment is over.
    const isOver = isRemoved && (isCheckout || open.length > 0);
    return isOver && left.length === 0 ? { ...state, progress: { status: "canceled" }, chargeId } : state;
  }

  async discard(chargeId: string): Promise<void> {
    // An invoice's twin is removed as soon as both are found.
    if (this.#isCheckout && isCheckoutName(chargeId)) await cancelCheckout(this.#client, chargeId);
  }

  /** Returns what there is after a removal. That of one payment alone is in no list. */
  async #left(name: ChargeName, [charge, ...others]: readonly AsaasCharge[]): Promise<AsaasCharge[]> {
    const chargeId = charge ? chargeNameOf(charge) : name.chargeId;
    const isRemoved = others.length === 0 && charge !== undefined;
    return await this.#charges.find({ reference: name.reference, chargeId, isRemoved }, {}, this.#isCheckout);
  }

  async refund(request: RefundRequest): Promise<ProviderReturn> {
    return await this.#refunds.refund(request);
  }

  async findRefund(
    request: Pick<RefundRequest, "refundId" | "providerPaymentId">,
  ): Promise<ProviderReturn | undefined> {
    return await this.#refunds.findRefund(request);
  }

  readCallback(body: string): readonly CallbackReference[] {
    return readCallback(body, "CREDIT_CARD");
  }

  async settlementFacts(providerPaymentId: string, signal?: AbortSignal): Promise<SettlementFacts> {
    const options = { signal, purpose: "check" } as const;
    for (const { path, isPlan } of pathsOf(providerPaymentId)) {
      if (isPlan) {
        const rows = (await this.#client.listIfThere(`${path}/payments`, {}, options)) ?? [];
        if (rows.length > 0) return await settlementOf(this.#client, rows, signal);
        continue;
      }
      const payment = await this.#client.call("GET", path, options);
      if (payment) return await settlementOf(this.#client, [payment], signal);
    }
    return { installments: [], disputes: [] };
  }

  /** Throws ProviderFault for a page to which no payer may be sent. */
  #checked(state: CardState): CardState {
    const { progress } = state;
    if (progress.status !== "challenge") return state;
    const protocol = webAddress(progress.url)?.protocol;
    const isDemo = this.#client.account.baseUrl.startsWith("http:");
    if (protocol === "https:" || (isDemo && protocol === "http:")) return state;
    throw new ProviderFault("unknown", "the page of a charge is no https address", { code: "wrong_page" });
  }
}

/** Keeps the name of a charge that is known: a checkout's is needed to cancel it, and a list may show a plan in part. */
function keptName({ chargeId }: ChargeName, state: CardState): CardState {
  if (chargeId === null || state.chargeId === null) return state;
  const isSame = idsIn(chargeId).id === idsIn(state.chargeId).id;
  return isSame || isCheckoutName(chargeId) ? { ...state, chargeId } : state;
}

/** Returns true if a charge's name may be that of a checkout: it names no payments. */
function isCheckoutName(name: string): boolean {
  return idsIn(name).paymentIds.length === 0;
}
