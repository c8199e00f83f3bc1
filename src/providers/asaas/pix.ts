import type {
  Asking,
  CallbackReference,
  ChargeRequest,
  PayerField,
  PixCode,
  PixProvider,
  PixState,
  ProviderReceipt,
  ProviderReturn,
  ReceivedIn,
  ReceivedMoney,
  RefundRequest,
} from "../ports.ts";
import { isProviderId } from "../answer-fields.ts";
import { ProviderFault } from "../provider-fault.ts";
import { readCallback } from "./callback.ts";
import { chargeNameOf, isOpen, isRemoved, stateOf, timeOf } from "./charge.ts";
import { AsaasCharges, LEAST_CHARGE_MINOR, requireAmount } from "./charges.ts";
import { optionsOf, type AsaasClient } from "./client.ts";
import { textOf } from "./json.ts";
import { paymentPath } from "./messages.ts";
import { AsaasRefunds } from "./refunds.ts";
import { AsaasStatement, type OnSetAside } from "./statement.ts";

// A day alone is no hour, and a zone is not written.
const WITH_HOUR = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/;
const BILLING = { type: "PIX", installments: 1, returnUrl: null } as const;

/**
 * PIX by Asaas, which needs no certificate. Its code lives for a year, so that the session's end must remove the charge;
 * money that comes all the same is late.
 */
export class AsaasPix implements PixProvider {
  readonly payerFields: readonly PayerField[] = ["name", "document"];
  readonly leastMinor = LEAST_CHARGE_MINOR;
  readonly outlivesSession = true;
  readonly #client: AsaasClient;
  readonly #charges: AsaasCharges;
  readonly #refunds: AsaasRefunds;
  readonly #statement: AsaasStatement;

  constructor(client: AsaasClient, onSetAside: OnSetAside) {
    this.#client = client;
    this.#charges = new AsaasCharges(client);
    this.#refunds = new AsaasRefunds(client);
    this.#statement = new AsaasStatement(client, "PIX", onSetAside);
  }

  get accountId(): string {
    return this.#client.account.id;
  }

  async createCharge(request: ChargeRequest): Promise<PixCode> {
    const { reference, isRepeated } = request;
    const earlier = isRepeated
      ? await this.#charges.find({ reference, chargeId: null }, { signal: request.signal })
      : [];
    const [charge] =
      earlier.length > 0
        ? await this.#charges.withoutTwins(earlier)
        : [await this.#charges.make(request, BILLING)];
    if (!charge) throw new ProviderFault("unknown", `the charge ${reference} is not there yet`);
    requireAmount(charge, request, 1);
    if (!isOpen(charge)) throw new ProviderFault("unknown", `the charge ${reference} is paid already`);
    const { signal } = request;
    const found = await this.#client.call("GET", `${paymentPath(charge.id)}/pixQrCode`, { signal });
    if (!found) throw new ProviderFault("unknown", "the code of a charge was answered with 404");
    return { code: textOf(found, "payload"), location: null, chargeId: chargeNameOf(charge) };
  }

  async find(reference: string, asking: Asking = {}, chargeId: string | null = null): Promise<PixState> {
    const { charges: found, ofCallbacks } = await this.#charges.look({ reference, chargeId }, asking);
    const charges = await this.#charges.withoutTwins(found, chargeId);
    const { receipts, returns } = stateOf(charges, this.#client.now());
    const transactions = new Map(charges.map(({ id, payments }) => [id, payments[0]?.pixTransactionId]));
    const timed: ProviderReceipt[] = [];
    for (const receipt of receipts) {
      timed.push(await this.#timed(receipt, transactions.get(receipt.providerPaymentId), asking));
    }
    return { status: charges.every(isRemoved) ? "absent" : "waiting", receipts: timed, returns, ofCallbacks };
  }

  /** Returns the money with its own hour and end-to-end id. A payment says the day alone. */
  async #timed(
    receipt: ProviderReceipt,
    transactionId: string | null | undefined,
    asking: Asking,
  ): Promise<ProviderReceipt> {
    if (transactionId == null) return receipt;
    const path = `/pix/transactions/${encodeURIComponent(transactionId)}`;
    const found = await this.#client.call("GET", path, optionsOf(asking)).catch((error: unknown) => {
      // A key may lack the permission. The payment's day is then what there is.
      if (error instanceof ProviderFault && ["refused", "misconfigured"].includes(error.kind))
        return undefined;
      throw error;
    });
    const [at, endToEndId] = [found?.["effectiveDate"], found?.["endToEndIdentifier"]];
    return {
      ...receipt,
      ...(typeof at === "string" && WITH_HOUR.test(at) ? { paidAt: timeOf(at) } : {}),
      ...(isProviderId(endToEndId) ? { endToEndId } : {}),
    };
  }

  async cancel(reference: string, chargeId: string | null = null): Promise<void> {
    const found = await this.#charges.find({ reference, chargeId });
    await this.#charges.remove(found.filter(isOpen));
  }

  async refund(request: RefundRequest): Promise<ProviderReturn> {
    return await this.#refunds.refund(request);
  }

  async findRefund(
    request: Pick<RefundRequest, "refundId" | "providerPaymentId">,
  ): Promise<ProviderReturn | undefined> {
    return await this.#refunds.findRefund(request);
  }

  received(period: ReceivedIn, signal?: AbortSignal): AsyncIterable<ReceivedMoney> {
    return this.#statement.received(period, signal);
  }

  returned(period: ReceivedIn, signal?: AbortSignal): AsyncIterable<ReceivedMoney> {
    return this.#statement.returned(period, signal);
  }

  readCallback(body: string): readonly CallbackReference[] {
    return readCallback(body, BILLING.type);
  }
}
