import { optionalText, required, type Fields } from "../answer-fields.ts";
import type { ReceivedIn, ReturnList } from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { PagarmeClient } from "./client.ts";
import { timeIn } from "./fields.ts";

// What takes money of a charge back, and what gives it back to the merchant.
const TYPES = ["refund", "chargeback", "refund_reversal", "chargeback_refund"] as const;
const PAGE_ROWS = 500;
// An installment's money, from the time at which its charge was paid.
const CREDIT = "credit";
// Its times have whole seconds.
const PERIOD_MS_MIN = 1000;
// A refund has a payable for each of up to 24 installments, and many may be made within a second.
const PAGES_MAX = 10;
const TOO_LARGE = "statement_too_large";

/** The payables by which money of a charge came in, went back or came back, by the time at which they were made. */
export class PagarmeReturnList implements ReturnList {
  readonly #client: Pick<PagarmeClient, "list">;

  constructor(client: Pick<PagarmeClient, "list">) {
    this.#client = client;
  }

  async *movedBack(period: ReceivedIn, signal?: AbortSignal): AsyncGenerator<string> {
    for (const type of TYPES) yield* this.#chargesOf(type, period, signal);
  }

  async *cameIn(period: ReceivedIn, signal?: AbortSignal): AsyncGenerator<string> {
    yield* this.#chargesOf(CREDIT, period, signal);
  }

  /** A period whose payables do not fit in PAGES_MAX pages, or whose pages do not say where the next one begins, is read in halves. */
  async *#chargesOf(type: string, { from, to }: ReceivedIn, signal?: AbortSignal): AsyncGenerator<string> {
    const halfMs = Math.floor((to.getTime() - from.getTime()) / 2);
    const rows = await this.#rows(type, { from, to }, signal).catch((error: unknown) => {
      if (halfMs < PERIOD_MS_MIN || !(error instanceof ProviderFault) || error.code !== TOO_LARGE)
        throw error;
      return undefined;
    });
    if (rows === undefined) {
      const middle = new Date(from.getTime() + halfMs);
      yield* this.#chargesOf(type, { from, to: middle }, signal);
      yield* this.#chargesOf(type, { from: middle, to }, signal);
      return;
    }
    for (const row of rows) {
      const [chargeId, createdAt] = [optionalText(row, "charge_id"), timeIn(row, "created_at")];
      const at = required(createdAt, "created_at");
      if (row["type"] === type && chargeId !== null && at >= from && at <= to) yield chargeId;
    }
  }

  async #rows(type: string, { from, to }: ReceivedIn, signal?: AbortSignal): Promise<Fields[]> {
    const query = { type, created_since: from.toISOString(), created_until: to.toISOString() };
    const pages = { size: PAGE_ROWS, pagesMax: PAGES_MAX, hasCursors: true, signal };
    return await this.#client.list("/payables", query, pages);
  }
}
