import { dayAt, startOfDay } from "../../../contract/day.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { AccountStatement, DayBalance, StatementLine } from "../account-statement.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { PixProvider, ProviderReturn, ReceivedIn, ReceivedMoney } from "../ports.ts";

// A return is made for 90 days, and one by MED comes a day later.
const RETURN_DAYS = 91;
const OWN_REFUND = /^ref_/;

/**
 * The statement of an account by the standard's list: money of its key, and what went back of it. The API Pix has neither
 * fees nor a balance.
 */
export class ReceivedStatement implements AccountStatement {
  readonly hasBalance = false;
  readonly hasToday = true;
  readonly #provider: Pick<PixProvider, "received" | "returned">;
  readonly #clock: Clock;

  constructor(provider: Pick<PixProvider, "received" | "returned">, clock: Clock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  /**
   * Of a day that is not over, what goes back of money of earlier days is left out: the list knows no time of a return, so
   * that all money of 91 days is looked through for it, once the day is over.
   */
  async *lines(day: string, signal?: AbortSignal): AsyncGenerator<StatementLine> {
    const date = Temporal.PlainDate.from(day);
    const yielded = new Set<string>();
    const newOf = (lines: readonly StatementLine[]): StatementLine[] =>
      lines.filter((line) => {
        const name = `${line.kind} ${line.id}`;
        const isNew = line.day === day && !yielded.has(name);
        yielded.add(name);
        return isNew;
      });
    for await (const money of this.#provider.received(periodOf(date, date), signal)) {
      yield* newOf([lineOfMoney(money), ...linesOfReturns(money)]);
    }
    if (Temporal.PlainDate.compare(date, dayAt(this.#clock.nowMs())) >= 0) return;
    for await (const money of this.#returned(date, signal)) yield* newOf(linesOfReturns(money));
  }

  /**
   * Yields money of a day and of the 91 before it of which something went back. If the bank refuses them, they are asked for
   * one by one, and an older day that it refuses has none: the sweep of returns reads the same days, and tells of that.
   */
  async *#returned(day: Temporal.PlainDate, signal: AbortSignal | undefined): AsyncGenerator<ReceivedMoney> {
    const first = day.subtract({ days: RETURN_DAYS });
    try {
      yield* this.#provider.returned(periodOf(first, day), signal);
      return;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    for (let date = day; Temporal.PlainDate.compare(date, first) >= 0; date = date.subtract({ days: 1 })) {
      try {
        yield* this.#provider.returned(periodOf(date, date), signal);
      } catch (error) {
        if (date.equals(day) || !isRefusal(error)) throw error;
      }
    }
  }

  async balance(): Promise<DayBalance> {
    return await Promise.resolve({ openingMinor: null, closingMinor: null });
  }
}

function periodOf(first: Temporal.PlainDate, last: Temporal.PlainDate): ReceivedIn {
  return { from: new Date(startOfDay(first)), to: new Date(startOfDay(last.add({ days: 1 })) - 1) };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProviderFault && error.kind === "refused";
}

function lineOfMoney(money: ReceivedMoney): StatementLine {
  const { providerPaymentId: id, amountMinor, paidAt } = money;
  return lineOf(money, { id, kind: "received", amountMinor, text: "pix" }, paidAt);
}

/** What is under way, or was not carried out, moved nothing. */
function linesOfReturns(money: ReceivedMoney): StatementLine[] {
  return money.returns.flatMap((one) => {
    const { amountMinor, status, providerPaymentId } = one;
    if (status !== "succeeded") return [];
    const isOurs = OWN_REFUND.test(one.id);
    const kind = isOurs ? "refund" : "return";
    // The bank's own id of a return need be no other than that of another money's.
    const id = isOurs ? one.id : `${providerPaymentId} ${one.id}`;
    return [lineOf(money, { id, kind, amountMinor: -amountMinor, text: "devolucao" }, timeOf(one))];
  });
}

/** Returns when money went back; null if the bank says no time of it. */
function timeOf({ isUntimed, requestedAt, endedAt }: ProviderReturn): Date | null {
  if (isUntimed !== true) return endedAt;
  // Without both of its times, each is when it was seen.
  return requestedAt.getTime() === endedAt?.getTime() ? null : requestedAt;
}

/** A movement without a time is of the day of its money: it must not move from day to day as it is read again. */
function lineOf(
  { providerPaymentId, reference, paidAt }: ReceivedMoney,
  own: Pick<StatementLine, "id" | "kind" | "amountMinor" | "text">,
  at: Date | null,
): StatementLine {
  return {
    ...own,
    currency: "BRL",
    day: dayAt((at ?? paidAt).getTime()).toString(),
    at,
    reference,
    endToEndId: providerPaymentId,
    providerPaymentId,
    installment: null,
    settlementId: null,
    balanceMinor: null,
    // What money came of is written by the bank in a form of its own, and grows with each return.
    raw: JSON.stringify([own.kind, own.id, String(own.amountMinor), at, providerPaymentId, reference]),
  };
}
