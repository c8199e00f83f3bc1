import { insert, update, type Change } from "../../platform/write/change.ts";
import { wholeSecond, type Clock } from "../../platform/time/clock.ts";
import type { Environment } from "../../platform/db/database.ts";
import { RowQuery } from "../../platform/db/row-query.ts";
import { NO_ENTRY } from "../../platform/rpc/audit-trail.ts";
import { writeBrCode } from "../br-code.ts";
import { SandboxCharge, SandboxRefund, type SandboxChargeRow, type SandboxRefundRow } from "../entities.ts";
import type {
  CardProgress,
  CardProvider,
  CardRequest,
  CardState,
  CardTerms,
  SettlementFacts,
} from "../card-port.ts";
import type {
  BankAccount,
  ProviderDirectory,
  SimulatedAction,
  SimulatedCharge,
  SimulatedRefund,
  Simulator,
} from "../directory.ts";
import type {
  CallbackReference,
  ChargeRequest,
  PixCode,
  PixProvider,
  PixState,
  ProviderReceipt,
  ProviderReturn,
  ReceivedIn,
  ReceivedMoney,
  RefundRequest,
} from "../ports.ts";
import { dayAt } from "../../../contract/day.ts";
import { chargedBackMinor, disputesOf, isDispute, returnsOf } from "./aftermath.ts";
import { SandboxAccountStatement } from "./account-statement.ts";
import { sandboxInstallments } from "./installments.ts";
import { answersAt, isSilent, LATE_CODES, requireAnswer } from "./late-answer.ts";
import { receiptIdOf, referenceOf } from "./receipt-id.ts";
import { answerTo, cardOf } from "./test-card.ts";
import { leavesAt, refundAnswer } from "./rehearsed-refund.ts";

const CITY = "SAO PAULO";
const LOCATION = "sandbox.paylink.invalid/pix/";
const CHARGE = new RowQuery(
  "sandbox charge",
  { charge: SandboxCharge },
  "FROM sandbox_charge charge WHERE tenant_id = $1 AND reference = $2",
);
const CARD_TERMS: CardTerms = {
  style: "token",
  installments: { other: 21 },
  leastInstallmentMinor: 1n,
  payerFields: [],
};

const BANK_ACCOUNT: BankAccount = {
  bank: "Banco Sandbox (999)",
  branch: "0001",
  account: "123456-7",
  holder: "Paylink Sandbox Ltda.",
  document: "00.000.000/0001-91",
};

/**
 * Simulates all providers of one tenant for test mode. It stores its charges in the test schema, and makes no network
 * connections.
 */
class Sandbox implements PixProvider, Simulator {
  readonly accountId = null;
  readonly isRefundIdempotent = true;
  readonly card: CardProvider;
  readonly #environment: Environment;
  readonly #clock: Clock;
  readonly #tenantId: string;

  constructor(environment: Environment, clock: Clock, tenantId: string) {
    this.#environment = environment;
    this.#clock = clock;
    this.#tenantId = tenantId;
    this.card = {
      accountId: null,
      terms: CARD_TERMS,
      isRefundIdempotent: true,
      authorize: async (request) => await this.#authorize(request),
      find: async ({ reference }) => await this.#cardState(reference),
      refund: async (request) => await this.refund(request),
      findRefund: async (request) => await this.findRefund(request),
      cancel: async ({ reference }) => await this.#cardState(reference),
      settlementFacts: async (providerPaymentId) => await this.#settlementFacts(providerPaymentId),
      readCallback: () => this.readCallback(),
    };
  }

  async createCharge(request: ChargeRequest): Promise<PixCode> {
    const { reference, amountMinor, merchantName } = request;
    const now = this.#now();
    const late = answersAt(LATE_CODES.get(amountMinor), now);
    const charge = await this.#keep({ ...this.#fresh(request), status: "waiting", answersAt: late });
    requireAnswer(charge, now);
    const location = `${LOCATION}${reference}`;
    return { code: writeBrCode({ location, amountMinor, merchantName, merchantCity: CITY }), location };
  }

  async find(reference: string): Promise<PixState> {
    const charge = await this.#asked(reference, false);
    if (!charge) return { status: "absent", receipts: [], returns: [] };
    const receipts = charge.status === "paid" ? [receiptOf(charge)] : [];
    const returns = await this.#returns(reference, returnsOf(charge, false, this.#now()));
    return charge.status === "refused"
      ? { status: "rejected", reason: charge.reason ?? "", receipts, returns }
      : { status: "waiting", receipts, returns };
  }

  /** A sandbox charge is not paid by itself, so there is nothing to withdraw. */
  async cancel(): Promise<void> {}

  async refund(request: RefundRequest): Promise<ProviderReturn> {
    const earlier = await this.findRefund(request);
    if (earlier) return earlier;
    const { refundId, amountMinor } = request;
    const reference = referenceOf(request.providerPaymentId);
    const charge = await this.#charge(reference);
    const createdAt = leavesAt({ amountMinor, requestedAt: this.#now() });
    const refund = { tenantId: this.#tenantId, refundId, reference, amountMinor, createdAt };
    const answer = this.#returnOf(refund);
    if (charge?.status !== "paid") return { ...answer, status: "failed", reason: "no_such_money" };
    if (answer.status === "failed") return answer;
    await this.#environment.committer.commit([insert(SandboxRefund, refund)], NO_ENTRY);
    return answer;
  }

  async findRefund({ refundId }: Pick<RefundRequest, "refundId">): Promise<ProviderReturn | undefined> {
    const [refund] = await this.#refunds({ refundId });
    return refund && this.#returnOf(refund);
  }

  async pay({
    reference,
    amountMinor,
    installments,
    aftermath,
    paidAt,
  }: SimulatedCharge): Promise<{ receipt: ProviderReceipt; changes: Change[] }> {
    const known = await this.#charge(reference);
    const fresh = this.#fresh({ reference, amountMinor });
    const paid = { status: "paid", reason: null, paidAt, installments, aftermath } as const;
    const where = { tenantId: this.#tenantId, reference, status: known?.status ?? "waiting" };
    return {
      receipt: receiptOf({ ...fresh, ...paid }),
      changes: [known ? update(SandboxCharge, where, paid) : insert(SandboxCharge, { ...fresh, ...paid })],
    };
  }

  refundSimulated({ refundId, amountMinor, requestedAt }: SimulatedRefund): ProviderReturn {
    const createdAt = leavesAt({ amountMinor, requestedAt });
    return this.#returnOf({ tenantId: this.#tenantId, refundId, reference: "", amountMinor, createdAt });
  }

  async *received({ from, to }: ReceivedIn): AsyncGenerator<ReceivedMoney> {
    const charges = await this.#environment.orm.em
      .fork()
      .find(
        SandboxCharge,
        { tenantId: this.#tenantId, status: "paid", paidAt: { $gte: from, $lte: to } },
        { orderBy: { paidAt: "asc" } },
      );
    for (const charge of charges) {
      const { reference } = charge;
      const returns = await this.#returns(reference, returnsOf(charge, false, this.#now()));
      yield { ...receiptOf(charge), reference, returns };
    }
  }

  async *returned(period: ReceivedIn): AsyncGenerator<ReceivedMoney> {
    for await (const money of this.received(period)) if (money.returns.length > 0) yield money;
  }

  /** A sandbox sends no callbacks. */
  readCallback(): readonly CallbackReference[] {
    return [];
  }

  async act(reference: string, action: SimulatedAction): Promise<void> {
    const charge = await this.#charge(reference);
    if (charge?.status !== "waiting" && charge?.status !== "challenge") return;
    const { status } = charge;
    const reason = status === "challenge" ? "3ds_n" : "AB03";
    const set =
      action === "approve"
        ? ({ status: "paid", paidAt: wholeSecond(this.#clock) } as const)
        : ({ status: "refused", reason } as const);
    // Another call may have been first. Its result stays.
    await this.#environment.committer.commit(
      [update(SandboxCharge, { tenantId: this.#tenantId, reference, status }, set)],
      NO_ENTRY,
    );
  }

  async #authorize(request: CardRequest): Promise<CardState> {
    const { reference, token, returnUrl, installments } = request;
    await this.#keep({
      ...this.#fresh(request),
      installments,
      ...answerTo(token ?? "", returnUrl, this.#now()),
    });
    return await this.#cardState(reference);
  }

  async #cardState(reference: string): Promise<CardState> {
    const charge = await this.#asked(reference, false);
    if (!charge || isSilent(charge, this.#now())) {
      return { progress: { status: "absent" }, chargeId: null, receipts: [], returns: [] };
    }
    const receipts = charge.status === "paid" ? [{ ...receiptOf(charge), card: cardOf(charge) }] : [];
    const returns = await this.#returns(reference, returnsOf(charge, true, this.#now()));
    return { progress: progressOf(charge), chargeId: null, receipts, returns };
  }

  async #settlementFacts(providerPaymentId: string): Promise<SettlementFacts> {
    const reference = referenceOf(providerPaymentId);
    const charge = await this.#asked(reference, true);
    if (charge?.status !== "paid") return { installments: [], disputes: [] };
    const now = this.#now();
    const refunds = (await this.#returns(reference)).filter(({ status }) => status === "succeeded");
    const refundedMinor = refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    const today = dayAt(now.getTime());
    return {
      installments: sandboxInstallments(charge, refundedMinor, today, chargedBackMinor(charge, now)),
      disputes: disputesOf(charge, now),
    };
  }

  #now(): Date {
    return wholeSecond(this.#clock);
  }

  #fresh({
    reference,
    amountMinor,
  }: Pick<ChargeRequest, "reference" | "amountMinor">): Omit<SandboxChargeRow, "status"> {
    const createdAt = wholeSecond(this.#clock);
    const tenantId = this.#tenantId;
    return {
      tenantId,
      reference,
      amountMinor,
      reason: null,
      challengeUrl: null,
      paidAt: null,
      feeMinor: null,
      installments: 1,
      aftermath: null,
      aftermathAt: null,
      answersAt: null,
      createdAt,
    };
  }

  /** Keeps the first of two charges with one reference, and returns it. */
  async #keep(charge: SandboxChargeRow): Promise<SandboxChargeRow> {
    const known = await this.#charge(charge.reference);
    if (known) return known;
    await this.#environment.committer.commit([insert(SandboxCharge, charge)], NO_ENTRY);
    return charge;
  }

  async #charge(reference: string): Promise<SandboxChargeRow | null> {
    return (await CHARGE.first(this.#environment, [this.#tenantId, reference]))?.charge ?? null;
  }

  /** Returns a charge. Its aftermath begins when it is asked for; a dispute when its settlement is (`isOfMoney`). */
  async #asked(reference: string, isOfMoney: boolean): Promise<SandboxChargeRow | null> {
    const charge = await this.#charge(reference);
    if (!charge?.aftermath || charge.aftermathAt || isDispute(charge.aftermath) !== isOfMoney) return charge;
    const aftermathAt = this.#now();
    // Another call may have been first.
    await this.#environment.committer.commit(
      [update(SandboxCharge, { tenantId: this.#tenantId, reference, aftermathAt: null }, { aftermathAt })],
      NO_ENTRY,
    );
    return { ...charge, aftermathAt };
  }

  /** Returns the refunds of a charge, and what went back beside them. */
  async #returns(reference: string, others: readonly ProviderReturn[] = []): Promise<ProviderReturn[]> {
    return [...(await this.#refunds({ reference })).map((refund) => this.#returnOf(refund)), ...others];
  }

  #returnOf({ refundId, reference, amountMinor, createdAt }: SandboxRefundRow): ProviderReturn {
    return {
      id: refundId,
      providerPaymentId: receiptIdOf(reference),
      amountMinor,
      requestedAt: createdAt,
      ...refundAnswer(amountMinor, createdAt, this.#now()),
    };
  }

  async #refunds(where: { reference: string } | { refundId: string }): Promise<SandboxRefundRow[]> {
    const { em } = this.#environment.orm;
    const orderBy = { createdAt: "asc", refundId: "asc" } as const;
    return await em.fork().find(SandboxRefund, { tenantId: this.#tenantId, ...where }, { orderBy });
  }
}

function receiptOf({ reference, amountMinor, paidAt, createdAt }: SandboxChargeRow): ProviderReceipt {
  return { providerPaymentId: receiptIdOf(reference), amountMinor, paidAt: paidAt ?? createdAt };
}

function progressOf({ status, challengeUrl, reason }: SandboxChargeRow): CardProgress {
  if (status === "challenge") return { status, url: challengeUrl ?? "" };
  if (status === "paid") return { status: "approved" };
  return { status: "declined", decline: { source: "sandbox", brand: null, code: reason ?? "" } };
}

/** Returns the providers of test mode. */
export function sandboxDirectory(environment: Environment, clock: Clock): ProviderDirectory {
  const providersOf: ProviderDirectory["offered"] = async ({ tenantId }) => {
    const sandbox = new Sandbox(environment, clock, tenantId);
    return await Promise.resolve({
      pix: sandbox,
      card: sandbox.card,
      bankAccount: BANK_ACCOUNT,
      simulator: sandbox,
      accountStatement: new SandboxAccountStatement(environment, tenantId),
    });
  };
  return { offered: providersOf, ofAccount: providersOf };
}
