import { dayAt } from "../../../contract/day.ts";
import type { AccountStatement, DayBalance, StatementLine } from "../account-statement.ts";
import { required, type Fields } from "../answer-fields.ts";
import { linesOfPages, type DayPage } from "../day-pages.ts";
import { ProviderFault } from "../provider-fault.ts";
import { ReadableRows, type OnSetAside } from "../readable-rows.ts";
import { linesOfPayable, linesOfSettlement } from "./account-lines.ts";
import type { PagarmeClient } from "./client.ts";
import { idIn, idOrNull, minorIn } from "./fields.ts";

const PAGE_ROWS = 500;
const RECIPIENT_ROWS = 30;
const RECIPIENT_PAGES_MAX = 10;

type Client = Pick<PagarmeClient, "page" | "list" | "call" | "now">;

/**
 * The statement of an account at Pagar.me: payables on the days on which they moved, and payouts to the merchant's bank. Of
 * balances it says that of the present alone.
 */
export class PagarmeAccountStatement implements AccountStatement {
  readonly hasBalance = true;
  readonly hasToday = true;
  readonly #client: Client;
  readonly #onSetAside: OnSetAside;

  constructor(client: Client, onSetAside: OnSetAside) {
    this.#client = client;
    this.#onSetAside = onSetAside;
  }

  async *lines(day: string, signal?: AbortSignal): AsyncGenerator<StatementLine> {
    const payables = async (place: string | null): Promise<DayPage> =>
      await this.#payables(day, place, signal);
    yield* linesOfPages(payables, this.#onSetAside);
    const settlements = async (place: string | null): Promise<DayPage> =>
      await this.#settlements(day, place, signal);
    yield* linesOfPages(settlements, this.#onSetAside);
  }

  /** Of all recipients of the account, as its payables are theirs. Of a day that is over it says nothing. */
  async balance(day: string, signal?: AbortSignal): Promise<DayBalance> {
    if (day !== dayAt(this.#client.now().getTime()).toString())
      return { openingMinor: null, closingMinor: null };
    const pages = { size: RECIPIENT_ROWS, pagesMax: RECIPIENT_PAGES_MAX, signal };
    let closingMinor = 0n;
    for (const recipient of await this.#client.list("/recipients", {}, pages)) {
      const path = `/recipients/${encodeURIComponent(idIn(recipient, "id"))}/balance`;
      const found = await this.#client.call("GET", path, { signal });
      if (!found) throw new ProviderFault("unknown", "the balance was answered with 404");
      closingMinor += required(minorIn(found, "available_amount"), "available_amount");
    }
    return { openingMinor: null, closingMinor };
  }

  async #payables(day: string, place: string | null, signal: AbortSignal | undefined): Promise<DayPage> {
    // A day is written as its midnight, in UTC or in São Paulo.
    const query = {
      payment_date_since: `${day}T00:00:00Z`,
      payment_date_until: `${day}T23:59:59Z`,
      size: String(PAGE_ROWS),
      ...(place !== null && { forward_cursor: place }),
    };
    const { rows, cursor } = await this.#client.page("/payables", query, signal);
    if (cursor === undefined && rows.length >= PAGE_ROWS) {
      const message = "a full page does not say where the next one begins";
      throw new ProviderFault("unknown", message, { code: "statement_too_large" });
    }
    return pageOf(rows, (fields) => linesOfPayable(fields, day), cursor ?? null);
  }

  async #settlements(day: string, place: string | null, signal: AbortSignal | undefined): Promise<DayPage> {
    const number = Number(place ?? "1");
    const days = { payment_date_start: day, payment_date_end: day };
    const query = { ...days, order: "asc", page: String(number), limit: String(PAGE_ROWS) };
    const { rows } = await this.#client.page("/settlements", query, signal);
    const next = rows.length < PAGE_ROWS ? null : String(number + 1);
    return pageOf(rows, (fields) => linesOfSettlement(fields, day), next);
  }
}

function pageOf(
  found: readonly Fields[],
  linesOf: (fields: Fields) => readonly StatementLine[],
  next: string | null,
): DayPage {
  const rows = new ReadableRows();
  return {
    lines: rows.read(found, linesOf).flat(),
    ids: found.flatMap((fields) => idOrNull(fields, "id") ?? []),
    rowCount: found.length,
    setAsideCount: rows.setAsideCount,
    // It says none.
    total: null,
    next,
  };
}
