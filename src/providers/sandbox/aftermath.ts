import { dayAt } from "../../../contract/day.ts";
import { secondsAfter } from "../../platform/time/clock.ts";
import type { DisputeFacts } from "../card-port.ts";
import type { Aftermath } from "../directory.ts";
import type { SandboxChargeRow } from "../entities.ts";
import type { ProviderReturn } from "../ports.ts";
import { receiptIdOf } from "./receipt-id.ts";

/** What begins when the sandbox is asked for the first time ends after so many seconds, so that both are seen. */
export const END_SECONDS = 10;
const RESPOND_DAYS = 7;

type Charge = Pick<SandboxChargeRow, "reference" | "amountMinor" | "aftermath" | "aftermathAt">;

/** The money that moves after a payment: when, and whether it comes back. */
export const MOVES: Readonly<Record<Aftermath, readonly { afterSeconds: number; isBack: boolean }[]>> = {
  returned: [{ afterSeconds: 0, isBack: false }],
  return_reversed: [
    { afterSeconds: 0, isBack: false },
    { afterSeconds: END_SECONDS, isBack: true },
  ],
  disputed: [],
  dispute_won: [],
  dispute_lost: [{ afterSeconds: END_SECONDS, isBack: false }],
};

/** Money of a charge that moved after its payment. */
export interface Move {
  readonly id: string;
  readonly at: Date;
  readonly isBack: boolean;
}

const DISPUTES: ReadonlySet<Aftermath> = new Set(["disputed", "dispute_won", "dispute_lost"]);

/** Returns true for what begins with a dispute, and false for what begins with a return. */
export function isDispute(aftermath: Aftermath): boolean {
  return DISPUTES.has(aftermath);
}

/** Returns the moves of a paid charge's money that have begun, also those to come. */
export function movesOf({ aftermath, aftermathAt, reference }: Charge): Move[] {
  if (!aftermath || !aftermathAt) return [];
  return MOVES[aftermath].map(({ afterSeconds, isBack }) => ({
    id: `${isBack ? "reversal" : "return"}-${reference}`,
    at: secondsAfter(aftermathAt, afterSeconds),
    isBack,
  }));
}

/** Returns the return of a paid charge's money, none before it left. `isCard`: it is a chargeback. */
export function returnsOf(charge: Charge, isCard: boolean, now: Date): ProviderReturn[] {
  const moved = movesOf(charge).filter(({ at }) => at <= now);
  const left = moved.find(({ isBack }) => !isBack);
  if (!left) return [];
  const { id, at } = left;
  return [
    {
      id,
      providerPaymentId: receiptIdOf(charge.reference),
      amountMinor: charge.amountMinor,
      status: moved.some(({ isBack }) => isBack) ? "failed" : "succeeded",
      reason: isCard ? "chargeback" : null,
      requestedAt: at,
      endedAt: at,
    },
  ];
}

/** Returns the disputes of a paid card charge. */
export function disputesOf(
  { aftermath, aftermathAt, reference, amountMinor }: Charge,
  now: Date,
): DisputeFacts[] {
  if (!aftermath || !aftermathAt || !isDispute(aftermath)) return [];
  const openedOn = dayAt(aftermathAt.getTime());
  const ended = aftermath === "dispute_won" ? "won" : "lost";
  const isOver = aftermath !== "disputed" && now >= secondsAfter(aftermathAt, END_SECONDS);
  return [
    {
      id: `dispute-${reference}`,
      installment: 0,
      amountMinor,
      status: isOver ? ended : "needs_response",
      reason: "FRAUD",
      openedOn: openedOn.toString(),
      respondBy: openedOn.add({ days: RESPOND_DAYS }).toString(),
    },
  ];
}

/** Returns what of a paid card charge is taken off its installments now: from a contest on, until it is won. */
export function chargedBackMinor(charge: Charge, now: Date): bigint {
  const isContested = disputesOf(charge, now).some(({ status }) => status !== "won");
  const isGone = returnsOf(charge, true, now).some(({ status }) => status === "succeeded");
  return isContested || isGone ? charge.amountMinor : 0n;
}
