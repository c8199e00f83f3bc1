import { textOf } from "../../contract/json-text.ts";
import { PaylinkError } from "../platform/errors.ts";
import type { PricedPayment } from "./priced-payment.ts";

const LARGE_CHARACTERS = 256 * 1024;
// How long a tenant's pages take turns after a large one.
const REMEMBERED_MS = 10_000;
const WAITING_MAX = 64;

type Page = readonly Pick<PricedPayment, "metadata">[];

/**
 * Reads pages of payments. Those of a tenant whose pages are large are read one after the other: each keeps a
 * connection and the process busy for long, and other tenants' requests would wait for all of them.
 */
export class PageTurns {
  readonly #largeUntil = new Map<string, number>();
  /** The reads that wait for their turn, for each tenant that has a read in its turn. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Error: service_unavailable if too many of the tenant's reads wait. */
  async read<Rows extends Page>(tenantId: string, read: () => Promise<Rows>): Promise<Rows> {
    const largeUntil = this.#largeUntil.get(tenantId);
    const takesTurns = largeUntil !== undefined && largeUntil > performance.now();
    if (takesTurns) await this.#turn(tenantId);
    else if (largeUntil !== undefined) this.#largeUntil.delete(tenantId);
    try {
      const rows = await read();
      if (isLarge(rows)) this.#largeUntil.set(tenantId, performance.now() + REMEMBERED_MS);
      return rows;
    } finally {
      // The next one begins after this page's answer is written and others had the process.
      if (takesTurns) setImmediate(() => this.#next(tenantId));
    }
  }

  async #turn(tenantId: string): Promise<void> {
    const waiting = this.#waiting.get(tenantId);
    if (!waiting) {
      this.#waiting.set(tenantId, []);
      return;
    }
    if (waiting.length >= WAITING_MAX) {
      throw new PaylinkError(
        "service_unavailable",
        "Too many large pages of payments are asked for at once.",
      );
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  }

  #next(tenantId: string): void {
    const next = this.#waiting.get(tenantId)?.shift();
    if (next) next();
    else this.#waiting.delete(tenantId);
  }
}

function isLarge(rows: Page): boolean {
  let characters = 0;
  for (const { metadata } of rows) characters += textOf(metadata)?.length ?? 0;
  return characters > LARGE_CHARACTERS;
}
