import type { ServiceImpl } from "@connectrpc/connect";
import {
  LedgerService,
  PaymentSchema,
  type CreatePaymentIntentRequest,
  type Payment as PaymentMessage,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Identity } from "../identity/service.ts";
import type { Caller, Mode } from "../platform/caller.ts";
import { insert, update, type Change } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import { checkPayerCountry } from "../platform/country.ts";
import type { Environment } from "../platform/database.ts";
import { PaylinkError } from "../platform/errors.ts";
import { isId, newId } from "../platform/ids.ts";
import { keysetPage } from "../platform/keyset-page.ts";
import { checkOwnWords } from "../platform/metadata.ts";
import type { Operations } from "../platform/operation.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";
import type { PricedIntent } from "../pricing/service.ts";
import type { JsonWriter, RecordEvent } from "../webhooks/event.ts";
import { bookedSuccess } from "./booking.ts";
import { bookRpcs } from "./book-rpcs.ts";
import { closeRpcs } from "./closes.ts";
import { Payment, PaymentIntent, type PaymentIntentRow, type PaymentRow } from "./entities.ts";
import { paymentEvent, paymentMessage, toPayment, toPaymentIntent } from "./mapping.ts";
import { periodOf } from "../platform/period.ts";
import { reconciliationRpcs } from "./reconciliation.ts";
import {
  findCursor,
  findIntent,
  findPayment,
  findPayments,
  findPendingPayment,
  findPricedPayment,
  hasSuccess,
  listPricedPayments,
} from "./repository.ts";
import { settleDue } from "./settlement.ts";

type OwnRpcs = Omit<
  ServiceImpl<typeof LedgerService>,
  | keyof ReturnType<typeof bookRpcs>
  | keyof ReturnType<typeof reconciliationRpcs>
  | keyof ReturnType<typeof closeRpcs>
>;

const LIMIT_DEFAULT = 20;

export interface LedgerDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly identity: Identity;
  readonly operations: Operations;
  /** The changes that record an event and send it on its way. */
  readonly recordEvent: RecordEvent;
  /** The API's serialiser, so that a sealed row shows a payment as the API does. */
  readonly jsonWriter: JsonWriter;
}

/** What a payment is started with; its amounts are those of `price`. */
export interface StartedPayment {
  readonly linkId: string;
  readonly isSingle: boolean;
  readonly reference: string | null;
  readonly metadata: PaymentRow["metadata"];
}

/** The ledger room: its RPCs, and what other rooms ask of it. */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly rpcs: ServiceImpl<typeof LedgerService>;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    const { operations, clock, jsonWriter } = deps;
    this.rpcs = {
      ...this.#rpcs(),
      ...bookRpcs(deps),
      ...reconciliationRpcs(operations),
      ...closeRpcs(operations, clock, jsonWriter(PaymentSchema)),
    };
  }

  /** The intent of a caller, as far as it is priced. */
  async pricedIntent({ mode, tenantId }: Caller, id: string): Promise<PricedIntent | undefined> {
    if (!isId("pi", id)) return undefined;
    const intent = await findIntent(this.#deps.environments[mode], tenantId, id);
    return intent ? { ...intent, feeStrategy: intent.feeStrategy ?? null } : undefined;
  }

  /** An intent of the caller as it was made, if there is such a one. */
  async intent({ mode, tenantId }: Caller, id: string): Promise<PaymentIntentRow | undefined> {
    return (await findIntent(this.#deps.environments[mode], tenantId, id)) ?? undefined;
  }

  /** A new intent's row. */
  insertIntent(intent: PaymentIntentRow): Change {
    return insert(PaymentIntent, intent);
  }

  /** A payment of the link that is under way by this method. */
  async pendingPayment(
    { mode, tenantId }: Caller,
    linkId: string,
    method: PaymentMethod,
  ): Promise<PaymentRow | null> {
    return await findPendingPayment(this.#deps.environments[mode], tenantId, linkId, method);
  }

  /** A payment of the caller, if there is such a one. */
  async payment({ mode, tenantId }: Caller, id: string): Promise<PaymentRow | null> {
    return isId("pay", id) ? await findPayment(this.#deps.environments[mode], tenantId, id) : null;
  }

  /** Those of the payments that are the caller's, by their ids. */
  async payments({ mode, tenantId }: Caller, ids: readonly string[]): Promise<Map<string, PaymentRow>> {
    const found = await findPayments(this.#deps.environments[mode], tenantId, ids);
    return new Map(found.map((payment) => [payment.id, payment]));
  }

  /** Whether the single link has its one success. */
  async isPaid({ mode, tenantId }: Caller, linkId: string): Promise<boolean> {
    return await hasSuccess(this.#deps.environments[mode], tenantId, linkId);
  }

  /** A payment just started, pending, at this price. */
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
    };
  }

  /**
   * Writes a payment in the state that it has moved to (`from` null: a new one), with all that the move entails:
   * the books of a success, and the event that tells of it. The commit fails when it has meanwhile moved otherwise.
   */
  async moved(
    caller: Caller,
    from: PaymentRow | null,
    to: PaymentRow,
    price: PriceValues,
    intentId: string | null,
  ): Promise<{ payment: PaymentMessage; changes: Change[] }> {
    const payment = paymentMessage(to, price);
    const content = paymentEvent(payment);
    return {
      payment,
      changes: [
        from ? movedRow(from, to) : insert(Payment, to),
        ...(to.status === "succeeded"
          ? bookedSuccess(to, price, await this.#termDays(caller, intentId))
          : []),
        ...(content ? await this.#deps.recordEvent(caller, content) : []),
      ],
    };
  }

  /** Settles what is due in one environment. Answers how many payments. */
  async settleDue(mode: Mode): Promise<number> {
    return await settleDue(this.#deps.environments[mode], this.#deps.clock);
  }

  /** Business days from success to settlement: the intent's term, or the tenant's. */
  async #termDays({ mode, tenantId }: Caller, intentId: string | null): Promise<number> {
    const { environments, identity } = this.#deps;
    const intent = intentId === null ? null : await findIntent(environments[mode], tenantId, intentId);
    if (intent) return Number(intent.settlementTerm.slice("D+".length));
    return (await identity.settingsOf(tenantId)).tenant.settlementDays;
  }

  #rpcs(): OwnRpcs {
    const { operations } = this.#deps;
    const { method } = LedgerService;
    return {
      createPaymentIntent: operations.write(method.createPaymentIntent, {
        check: ({ reference, metadata, payerCountry }) => {
          checkOwnWords({ reference, metadata });
          checkPayerCountry(payerCountry);
        },
        decide: async (request, caller) => {
          const intent = await this.#newIntent(request, caller);
          return {
            response: { paymentIntent: toPaymentIntent(caller.mode, intent) },
            changes: [this.insertIntent(intent)],
          };
        },
      }),
      getPayment: operations.run(method.getPayment, async ({ id }, { tenantId }, environment) => {
        const payment = isId("pay", id) ? await findPricedPayment(environment, tenantId, id) : undefined;
        if (!payment) throw paymentNotFound();
        return { payment: toPayment(payment) };
      }),
      listPayments: operations.run(method.listPayments, async (request, { tenantId }, environment) => {
        const period = periodOf(request.from ?? "", request.to ?? "");
        const limit = request.limit ?? LIMIT_DEFAULT;
        const { rows, hasMore, nextCursor } = await keysetPage({
          limit,
          startingAfter: request.startingAfter,
          what: "the id of a payment",
          find: (id) => findCursor(environment, tenantId, id),
          read: (after, rowCount) => listPricedPayments(environment, tenantId, period, after, rowCount),
        });
        const data = rows.map(toPayment);
        return { $typeName: "paylink.ledger.v1.ListPaymentsResponse" as const, data, hasMore, nextCursor };
      }),
    };
  }

  async #newIntent(request: CreatePaymentIntentRequest, caller: Caller): Promise<PaymentIntentRow> {
    const { identity, clock } = this.#deps;
    const settings = await identity.settingsOf(caller.tenantId);
    const payee = identity.payee(settings, request.legalEntityId);
    return {
      tenantId: caller.tenantId,
      id: newId("pi"),
      quoteId: null,
      legalEntityId: payee.id,
      amountMinor: request.amount ?? 0n,
      currency: request.currency === "USD" ? "USD" : "BRL",
      payerCountry: request.payerCountry ?? null,
      settlementTerm: request.settlementTerm ?? `D+${settings.tenant.settlementDays}`,
      feeStrategy: request.feeStrategy ?? null,
      fxRateHistoryId: null,
      reference: request.reference ?? null,
      metadata: request.metadata ?? {},
      createdAt: wholeSecond(clock),
    };
  }
}

function movedRow({ tenantId, id, status }: PaymentRow, to: PaymentRow): Change {
  const { status: next, failureCode, updatedAt } = to;
  return update(Payment, { tenantId, id, status }, { status: next, failureCode, updatedAt });
}

function paymentNotFound(): PaylinkError {
  return new PaylinkError("payment_not_found", "There is no such payment.");
}
