import type { Payment as PaymentMessage } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { termDays } from "../identity/settlement-term.ts";
import type { Caller, Mode } from "../platform/rpc/caller.ts";
import { insert, update, within, type Change } from "../platform/write/change.ts";
import { isId, newId } from "../../contract/ids.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";
import type { PricedIntent } from "../pricing/priced-intent.ts";
import { bookSuccess } from "./booking.ts";
import { bookRpcs } from "./book-rpcs.ts";
import type { LedgerDeps } from "./deps.ts";
import {
  Payment,
  PaymentIntent,
  type PaymentIntentRow,
  type PaymentRow,
  type PlainPayment,
} from "./entities.ts";
import { LineSums } from "./line-sums.ts";
import { paymentEvents, paymentMessage } from "./mapping.ts";
import { paymentPage } from "./payment-page.ts";
import { paymentRpcs } from "./payment-rpcs.ts";
import { reconciliationRpcs } from "./reconciliation.ts";
import {
  findIntent,
  findPayments,
  findPendingPayment,
  hasPaymentInProgress,
  hasSuccess,
  type PaymentWithPrice,
} from "./repository.ts";
import { succeededPayments, type SucceededAsked, type SucceededPayment } from "./succeeded-payments.ts";
import { settleDue } from "./settlement.ts";

type Rpcs = ReturnType<typeof paymentRpcs> &
  ReturnType<typeof bookRpcs> &
  ReturnType<typeof reconciliationRpcs>;

/** The fields of a new payment that its price does not give. */
export interface StartedPayment {
  readonly linkId: string;
  readonly isSingle: boolean;
  readonly reference: string | null;
  readonly metadata: PaymentRow["metadata"];
}

/** The ledger room: its RPCs, and its functions for other rooms. */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #sums: Readonly<Record<Mode, LineSums>>;
  readonly rpcs: Rpcs;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    const { live, test } = deps.environments;
    this.#sums = { live: new LineSums(live), test: new LineSums(test) };
    this.rpcs = {
      ...paymentRpcs(deps),
      ...bookRpcs(deps),
      ...reconciliationRpcs(deps),
    };
  }

  /** Returns the caller's intent with the fields that pricing needs, or undefined if there is none. */
  async pricedIntent({ mode, tenantId }: Caller, id: string): Promise<PricedIntent | undefined> {
    if (!isId("pi", id)) return undefined;
    const intent = await findIntent(this.#deps.environments[mode], tenantId, id);
    return intent ? { ...intent, feeStrategy: intent.feeStrategy ?? null } : undefined;
  }

  /** Returns the caller's intent as it was created, or undefined if there is none. */
  async intent({ mode, tenantId }: Caller, id: string): Promise<PaymentIntentRow | undefined> {
    return (await findIntent(this.#deps.environments[mode], tenantId, id)) ?? undefined;
  }

  /** Returns the change that inserts an intent. */
  insertIntent(intent: PaymentIntentRow): Change {
    return insert(PaymentIntent, intent);
  }

  /** Returns the link's payment in progress by this method with its price, or undefined if there is none. */
  async pendingPayment(
    { mode, tenantId }: Caller,
    linkId: string,
    method: PaymentMethod,
  ): Promise<PaymentWithPrice | undefined> {
    return await findPendingPayment(this.#deps.environments[mode], tenantId, linkId, method);
  }

  /** Undoes a change of the link while a payment of it is in progress, even of one that starts beside it. */
  requireNoneInProgress(
    { tenantId, id }: { readonly tenantId: string; readonly id: string },
    error: () => Error,
  ): Change {
    return within(async (client) => {
      if (await hasPaymentInProgress(client, tenantId, id)) throw error();
    });
  }

  /** Returns those of the payments that the caller has, by their ids, without their metadata. */
  async payments({ mode, tenantId }: Caller, ids: readonly string[]): Promise<Map<string, PlainPayment>> {
    const found = await findPayments(this.#deps.environments[mode], tenantId, ids);
    return new Map(found.map((payment) => [payment.id, payment]));
  }

  /** Returns a page of a link's payments, newest first. Error: invalid_request on starting_after. */
  async linkPayments(
    operation: Parameters<typeof paymentPage>[0],
    linkId: string,
    page: Parameters<typeof paymentPage>[2],
  ): ReturnType<typeof paymentPage> {
    return await paymentPage(operation, { linkId }, page);
  }

  /** Returns true if the single link has its one success. */
  async isPaid({ mode, tenantId }: Caller, linkId: string): Promise<boolean> {
    return await hasSuccess(this.#deps.environments[mode], tenantId, linkId);
  }

  /** Returns a new pending payment at this price. */
  startedPayment(started: StartedPayment, price: PriceValues, now: Date): PaymentRow {
    return {
      ...started,
      tenantId: price.tenantId,
      id: newId("pay"),
      priceId: price.id,
      method: price.method,
      status: "pending",
      failureCode: null,
      createdAt: now,
      updatedAt: null,
      refundedMinor: 0n,
      refundReservedMinor: 0n,
      endToEndId: null,
    };
  }

  /**
   * Returns the changes that move a payment to its new state (`from` null: a new one), with their consequences: the
   * postings of a success, and the event. The commit fails if the payment has moved to another state meanwhile.
   */
  async movePayment(
    caller: Caller,
    from: PaymentRow | null,
    to: PaymentRow,
    price: PriceValues,
    intentId: string | null,
  ): Promise<{ payment: PaymentMessage; changes: Change[] }> {
    const payment = paymentMessage(to, price);
    const booked =
      to.status === "succeeded" ? bookSuccess(to, price, await this.#termDays(caller, intentId)) : [];
    const told = this.#deps.recordEvents(caller, ...paymentEvents(payment));
    return { payment, changes: [from ? updatePayment(from, to) : insert(Payment, to), ...booked, ...told] };
  }

  /** Returns a tenant's payments of one mode that succeeded since a time, the earliest first. */
  async succeededPayments(mode: Mode, asked: SucceededAsked): Promise<SucceededPayment[]> {
    return await succeededPayments(this.#deps.environments[mode], asked);
  }

  /** Settles the due payments of one mode. Returns their number. */
  async settleDue(mode: Mode): Promise<number> {
    return await settleDue(this.#deps.environments[mode], this.#deps.clock);
  }

  /** Adds the new lines of one mode to the kept sums. */
  async sumLines(mode: Mode): Promise<void> {
    await this.#sums[mode].round();
  }

  /** Returns the business days from success to settlement: the intent's term, or the tenant's. */
  async #termDays({ mode, tenantId }: Caller, intentId: string | null): Promise<number> {
    const { environments, identity } = this.#deps;
    const intent = intentId === null ? null : await findIntent(environments[mode], tenantId, intentId);
    if (intent) return termDays(intent.settlementTerm);
    return (await identity.settingsOf(tenantId)).tenant.settlementDays;
  }
}

function updatePayment({ tenantId, id, status }: PaymentRow, to: PaymentRow): Change {
  const { status: next, failureCode, updatedAt, endToEndId } = to;
  return update(Payment, { tenantId, id, status }, { status: next, failureCode, updatedAt, endToEndId });
}
