import { dayAt, startOfDay } from "../../../contract/day.ts";
import type { ReceivedIn, ReceivedMoney, Statement } from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import { chargesOf, dayText, isPaid, lastDayOf, moneyOf, type AsaasCharge } from "./charge.ts";
import type { Billing } from "./charges.ts";
import type { AsaasClient } from "./client.ts";
import { optionalText, rowsOf, wholeOf, type Fields } from "./json.ts";
import { ownReference, readPayment, type AsaasPayment } from "./messages.ts";

/** Is called for a part of a statement of which so many rows cannot be read. */
export type OnSetAside = (count: number) => void;

const PAGE_ROWS = 100;
// A longer period with more rows is read in halves. A day is read whole, as a plan is made on one day.
const WINDOW_ROWS_MAX = 1000;
const DAY_ROWS_MAX = 50_000;
const SET_ASIDE_MAX = 100;
// New and removed payments move the pages of a list while it is read.
const READINGS_MAX = 3;
// A payment waits for its payer, and is then reviewed, for so many days at most.
const OPEN_DAYS = 30;

/** Days of São Paulo, both ends included. */
interface Days {
  readonly first: Temporal.PlainDate;
  readonly last: Temporal.PlainDate;
}

/**
 * The money of payments under references of ours; a merchant may have others there. Asaas lists payments by the day
 * on which they were made, and knows days alone.
 */
export class AsaasStatement implements Statement {
  readonly #client: AsaasClient;
  readonly #billingType: Billing["type"];
  readonly #onSetAside: OnSetAside;

  constructor(client: AsaasClient, billingType: Billing["type"], onSetAside: OnSetAside) {
    this.#client = client;
    this.#billingType = billingType;
    this.#onSetAside = onSetAside;
  }

  /** Yields what was paid on the days that the period touches. */
  async *received({ from, to }: ReceivedIn, signal?: AbortSignal): AsyncGenerator<ReceivedMoney> {
    const [first, last] = [dayAt(from.getTime()), dayAt(to.getTime())];
    const made = { first: first.subtract({ days: OPEN_DAYS }), last };
    for await (const charge of this.#paidCharges(made, signal)) {
      const day = lastDayOf(charge);
      if (day >= dayText(from) && day <= dayText(to)) yield moneyOf(charge, this.#client.now());
    }
  }

  /** Yields what was made on the days that begin in the period: those of its parts then do not overlap. */
  async *returned({ from, to }: ReceivedIn, signal?: AbortSignal): AsyncGenerator<ReceivedMoney> {
    const day = dayAt(from.getTime());
    const first = startOfDay(day) < from.getTime() ? day.add({ days: 1 }) : day;
    const last = dayAt(to.getTime());
    if (Temporal.PlainDate.compare(first, last) > 0) return;
    for await (const charge of this.#paidCharges({ first, last }, signal)) {
      const money = moneyOf(charge, this.#client.now());
      if (money.returns.length > 0) yield money;
    }
  }

  async *#paidCharges(days: Days, signal: AbortSignal | undefined): AsyncGenerator<AsaasCharge> {
    const payments = await this.#payments(days, signal);
    if (payments !== undefined) {
      yield* chargesOf(payments).filter(isPaid);
      return;
    }
    const { first, last } = days;
    const middle = first.add({ days: Math.floor(first.until(last).days / 2) });
    yield* this.#paidCharges({ first, last: middle }, signal);
    yield* this.#paidCharges({ first: middle.add({ days: 1 }), last }, signal);
  }

  /** Returns the payments that were made on these days, or undefined if they are too many days at once. */
  async #payments(days: Days, signal: AbortSignal | undefined): Promise<AsaasPayment[] | undefined> {
    const isOneDay = days.first.equals(days.last);
    const rowsMax = isOneDay ? DAY_ROWS_MAX : WINDOW_ROWS_MAX;
    for (let count = 0; count < READINGS_MAX; count++) {
      const rows = await this.#rows(days, rowsMax, signal);
      if (rows === "shifted") continue;
      if (rows !== "too many") return this.#read([...rows.values()]);
      if (!isOneDay) return undefined;
      throw new ProviderFault("unknown", "a statement is too large", { code: "statement_too_large" });
    }
    throw new ProviderFault("unknown", "the pages of a statement went on shifting", {
      code: "shifting_pages",
    });
  }

  /** Returns the rows of a list by their ids. */
  async #rows(
    days: Days,
    rowsMax: number,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Fields> | "shifted" | "too many"> {
    const rows = new Map<string, Fields>();
    let firstTotal: number | undefined;
    for (let offset = 0; ; offset += PAGE_ROWS) {
      const page = await this.#page(days, offset, signal);
      const total = wholeOf(page, "totalCount") ?? 0;
      firstTotal ??= total;
      const found = rowsOf(page, "data");
      if (Math.max(total, offset + found.length) > rowsMax) return "too many";
      for (const row of found) rows.set(optionalText(row, "id") ?? `unnamed ${rows.size}`, row);
      if (page["hasMore"] === true && found.length > 0) continue;
      return rows.size >= firstTotal && total === firstTotal ? rows : "shifted";
    }
  }

  async #page({ first, last }: Days, offset: number, signal: AbortSignal | undefined): Promise<Fields> {
    const query = new URLSearchParams({
      billingType: this.#billingType,
      "dateCreated[ge]": first.toString(),
      "dateCreated[le]": last.toString(),
      limit: String(PAGE_ROWS),
      offset: String(offset),
    });
    const path = `/payments?${query.toString()}`;
    const options = { signal, purpose: "statement" } as const;
    const page = await this.#client.call("GET", path, options);
    if (!page) throw new ProviderFault("unknown", "a list was answered with 404");
    return page;
  }

  /** Reads the rows under references of ours. A reference with one that cannot be read is set aside as a whole. */
  #read(rows: readonly Fields[]): AsaasPayment[] {
    const setAside = new Set<string>();
    const payments = rows.flatMap((row) => {
      const reference = ownReference(row);
      if (reference === null) return [];
      try {
        return [readPayment(row)];
      } catch (error) {
        if (!(error instanceof ProviderFault)) throw error;
        setAside.add(reference);
        if (setAside.size > SET_ASIDE_MAX) throw error;
        return [];
      }
    });
    if (setAside.size > 0) this.#onSetAside(setAside.size);
    return payments.filter(({ reference }) => !setAside.has(reference ?? ""));
  }
}
