import { dayAt, startOfDay } from "../../../contract/day.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { AccountStatement, DayBalance, StatementLine } from "../account-statement.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { PixProvider, ProviderReturn, ReceivedMoney } from "../ports.ts";

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
    const [from, end] = [startOfDay(date), startOfDay(date.add({ days: 1 }))];
    const to = new Date(end - 1);
    const yielded = new Set<string>();
    const newOf = (lines: readonly StatementLine[]): StatementLine[] =>
      lines.filter((line) => {
        const name = `${line.providerPaymentId} ${line.kind} ${line.id}`;
        const isNew = line.day === day && !yielded.has(name);
        yielded.add(name);
        return isNew;
      });
    for await (const money of this.#provider.received({ from: new Date(from), to }, signal)) {
      yield* newOf([lineOfMoney(money), ...linesOfReturns(money)]);
    }
    if (this.#clock.nowMs() < end) return;
    for (let ago = 0; ago <= RETURN_DAYS; ago++) {
      for (const money of await this.#returned(date.subtract({ days: ago }), signal, ago === 0)) {
        yield* newOf(linesOfReturns(money));
      }
    }
  }

  /** Returns the money of a day of which something went back. An older day that the bank refuses has none. */
  async #returned(
    date: Temporal.PlainDate,
    signal: AbortSignal | undefined,
    isNewest: boolean,
  ): Promise<readonly ReceivedMoney[]> {
    const [from, end] = [startOfDay(date), startOfDay(date.add({ days: 1 }))];
    const period = { from: new Date(from), to: new Date(end - 1) };
    try {
      return await Array.fromAsync(this.#provider.returned(period, signal));
    } catch (error) {
      // The sweep of returns reads the same days, and tells of those that are refused.
      if (!isNewest && error instanceof ProviderFault && error.kind === "refused") return [];
      throw error;
    }
  }

  async balance(): Promise<DayBalance> {
    return await Promise.resolve({ openingMinor: null, closingMinor: null });
  }
}

function lineOfMoney(money: ReceivedMoney): StatementLine {
  const { providerPaymentId: id, amountMinor, paidAt } = money;
  return lineOf(money, { id, kind: "received", amountMinor, text: "pix" }, paidAt);
}

/** What is under way, or was not carried out, moved nothing. */
function linesOfReturns(money: ReceivedMoney): StatementLine[] {
  return money.returns.flatMap((one) => {
    const { id, amountMinor, status } = one;
    if (status !== "succeeded") return [];
    const kind = OWN_REFUND.test(id) ? "refund" : "return";
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
