import { newId } from "../../contract/ids.ts";
import type { ChargeRow } from "../checkout/entities.ts";
import { bookProviderMoney } from "../ledger/provider-booking.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import { paymentMessage } from "../ledger/mapping.ts";
import { findPayment } from "../ledger/repository.ts";
import type { Call } from "../platform/rpc/call.ts";
import { insert, insertAll, update, type Change } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { findPrice } from "../pricing/repository.ts";
import type { DisputeFacts, SettlementFacts } from "../providers/card-port.ts";
import type { ReceivablesDeps } from "./deps.ts";
import { Dispute, ReceivableFact, type DisputeRow } from "./entities.ts";
import { disputeNews, isOpen, newFacts, problemOf } from "./facts.ts";
import { toDispute } from "./mapping.ts";
import { findDisputes, findFacts } from "./repository.ts";

type Deps = Pick<
  ReceivablesDeps,
  "operations" | "environments" | "clock" | "recordEvents" | "log" | "onWrongAnswer"
>;

// The changes are the worker's own: no audit log has an entry of them.
const UNNAMED = { objectId: "" };

/**
 * Records what a provider says of a paid charge's money: the facts that are new, with their entries in the books, and its
 * disputes, in one query. What it says again changes nothing, and of two readers at once one writes. What
 * contradicts the price is reported and changes nothing. Returns true unless it does. Money of a contest that came back in
 * another amount is a fact like others, and reported with it: no return is reversed by it.
 */
export async function record(
  deps: Deps,
  call: Call,
  charge: ChargeRow,
  reported: SettlementFacts,
): Promise<boolean> {
  const { operations, environments, clock } = deps;
  const environment = environments[call.mode];
  const { tenantId, paymentId } = charge;
  const accountId = charge.accountId ?? "";
  return await operations.writeOnce(call, async () => {
    const payment = await findPayment(environment, tenantId, paymentId);
    if (payment?.status !== "succeeded") return { response: true, changes: [] };
    const price = await findPrice(environment, tenantId, payment.priceId);
    if (reported.installments.length === 0) return { response: true, changes: [] };
    const problem = problemOf(reported, price.payerTotalMinor);
    if (problem !== null) {
      report(deps, call, charge, problem);
      return { response: false, changes: [] };
    }
    const now = wholeSecond(clock);
    const facts = newFacts(await findFacts(environment, charge), reported.installments);
    if ((reported.unmatchedCount ?? 0) > 0 && facts.some(({ kind }) => kind === "chargeback")) {
      reportUnmatched(deps, call, charge);
    }
    const rows = facts.map((fact) => ({ ...fact, tenantId, paymentId, accountId, createdAt: now }));
    const booked = facts.filter(({ amountMinor }) => amountMinor !== 0n);
    const kept = await findDisputes(environment, { tenantId, paymentId });
    const told = new Set(reported.disputes.map(({ id }) => id));
    const untold = kept.filter(({ providerDisputeId }) => !told.has(providerDisputeId));
    const changes = [
      ...(rows.length === 0 ? [] : [insertAll(ReceivableFact, rows)]),
      ...bookProviderMoney(payment, booked, now),
      ...disputeChanges(
        deps,
        call,
        { payment, price },
        reported.disputes.flatMap(
          (dispute) => movedDispute({ tenantId, paymentId, accountId }, kept, untold, dispute, now) ?? [],
        ),
      ),
    ];
    return { response: true, changes, audit: UNNAMED };
  });
}

/** A dispute as it is kept, null if it is new, and as its provider tells it. */
export interface MovedDispute {
  readonly before: DisputeRow | null;
  readonly after: DisputeRow;
}

/** Returns what a provider tells of a dispute that is not kept, or undefined. */
function movedDispute(
  of: Pick<DisputeRow, "tenantId" | "paymentId" | "accountId">,
  kept: readonly DisputeRow[],
  untold: DisputeRow[],
  { id: providerDisputeId, ...reported }: DisputeFacts,
  now: Date,
): MovedDispute | undefined {
  const named = kept.find((one) => one.providerDisputeId === providerDisputeId);
  const before = named ?? takeSame(untold, reported);
  if (!before) {
    const row = { ...of, ...reported, id: newId("dsp"), providerDisputeId, createdAt: now, updatedAt: null };
    return { before: null, after: row };
  }
  const news = disputeNews(before, reported);
  return news ? { before, after: { ...before, ...news, updatedAt: now } } : undefined;
}

/** Returns the changes that keep disputes, with the events of those that are opened, and of those that end. */
export function disputeChanges(
  { recordEvents }: Pick<Deps, "recordEvents">,
  call: Call,
  { payment, price }: { readonly payment: PaymentRow; readonly price: PriceValues },
  moved: readonly MovedDispute[],
): Change[] {
  const changes: Change[] = [];
  for (const { before, after } of moved) {
    const { tenantId, id, status, respondBy, updatedAt } = after;
    changes.push(
      before
        ? update(Dispute, { tenantId, id, status: before.status }, { status, respondBy, updatedAt })
        : insert(Dispute, after),
    );
    const type = eventOf(before, after);
    if (type === undefined) continue;
    const data = { payment: paymentMessage(payment, price), dispute: toDispute(after) };
    const reference = payment.reference ?? undefined;
    changes.push(...recordEvents(call, { type, objectId: payment.id, reference, data }));
  }
  return changes;
}

/** Of one that is found when it is over already, its return alone is told. */
function eventOf(
  before: DisputeRow | null,
  after: DisputeRow,
): "payment.disputed" | "payment.dispute_closed" | undefined {
  if (isOpen(after)) return before && isOpen(before) ? undefined : "payment.disputed";
  return before && isOpen(before) ? "payment.dispute_closed" : undefined;
}

/**
 * Takes the dispute of the same installment, amount and day out of those that are not told under their ids any more, and
 * returns it: a provider may give a contest another id.
 */
function takeSame(
  untold: DisputeRow[],
  { installment, amountMinor, openedOn }: Omit<DisputeFacts, "id">,
): DisputeRow | undefined {
  if (openedOn === null) return undefined;
  const index = untold.findIndex(
    (one) => one.installment === installment && one.amountMinor === amountMinor && one.openedOn === openedOn,
  );
  return index === -1 ? undefined : untold.splice(index, 1)[0];
}

function reportUnmatched(
  { log, onWrongAnswer }: Deps,
  { mode }: Call,
  { accountId, paymentId }: ChargeRow,
): void {
  onWrongAnswer();
  log.error(
    { mode, account_id: accountId, payment_id: paymentId },
    "money of a chargeback came back in another amount",
  );
}

function report(
  { log, onWrongAnswer }: Deps,
  { mode }: Call,
  { accountId, paymentId }: ChargeRow,
  problem: string,
): void {
  onWrongAnswer();
  log.error(
    { mode, account_id: accountId, payment_id: paymentId, code: `wrong_${problem}` },
    "what a provider says of a card payment's money is not its price",
  );
}
