import type {
  CardProvider,
  CardRequest,
  CardState,
  CardTerms,
  ChargeName,
  SettlementFacts,
} from "../providers/card-port.ts";
import type { CallbackReference, ProviderReturn, RefundRequest } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { readCallback } from "./callback.ts";
import { stateOf } from "./charge.ts";
import { AsaasCharges, isPlan, LEAST_CHARGE_MINOR, pathOf, requireAmount } from "./charges.ts";
import { cancelCheckout, openCheckout } from "./checkout.ts";
import type { AsaasClient } from "./client.ts";
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
    const earlier = isRepeated ? await this.#charges.find({ reference, chargeId: null }) : [];
    if (earlier.length === 0 && this.#isCheckout) {
      const customer = await this.#charges.customer(request);
      return this.#checked(await openCheckout(this.#client, request, customer));
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

  async find(name: ChargeName, signal?: AbortSignal): Promise<CardState> {
    const found = await this.#charges.find(name, { signal, isCheckout: this.#isCheckout });
    return this.#checked(stateOf(await this.#charges.withoutTwins(found), this.#client.now()));
  }

  async cancel(name: ChargeName): Promise<void> {
    const charges = await this.#charges.find(name, { isCheckout: this.#isCheckout });
    await this.#charges.removeOpen(charges);
    const { chargeId } = name;
    // An account may have had the other page when the charge was made.
    const isOther = chargeId !== null && isPlan(chargeId) && charges.every(({ id }) => id !== chargeId);
    if (isOther) await cancelCheckout(this.#client, chargeId);
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
    const path = pathOf(providerPaymentId);
    if (isPlan(providerPaymentId)) {
      const rows = await this.#client.list(`${path}/payments`, {}, signal);
      return await settlementOf(this.#client, rows, signal);
    }
    const payment = await this.#client.call("GET", path, { signal });
    return await settlementOf(this.#client, payment ? [payment] : [], signal);
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
