import type { StatementLine } from "./account-statement.ts";
import { ProviderFault } from "./provider-fault.ts";
import type { OnSetAside } from "./readable-rows.ts";

// New rows move the pages of a day while it is read.
const READINGS_MAX = 3;
// What one account's provider may say of a day, so that it leaves memory and time to the others.
const ROWS_MAX = 200_000;
const PAGES_MAX = 4000;

/** A page of a day's rows. */
export interface DayPage {
  readonly lines: readonly StatementLine[];
  /** The ids of its rows that have one. */
  readonly ids: readonly string[];
  readonly rowCount: number;
  readonly setAsideCount: number;
  /** How many rows the day has; null: the provider does not say. */
  readonly total: number | null;
  /** Where the next page begins; null: it is the last one. */
  readonly next: string | null;
}

/**
 * Yields the lines of a day, page by page to the last one, each once. If its pages shift, as the total changes, an id comes
 * twice or rows are missing at the end, the day is begun anew. `pageAt` gets where a page begins, or null for the first one.
 * Throws ProviderFault: `shifting_pages` after three readings, `statement_too_large`.
 */
export async function* linesOfPages(
  pageAt: (place: string | null) => Promise<DayPage>,
  onSetAside: OnSetAside,
): AsyncGenerator<StatementLine> {
  const yielded = new Set<string>();
  for (let count = 0; count < READINGS_MAX; count++) {
    const reading = new Reading();
    for (let place: string | null | undefined = null; place !== undefined;) {
      const page: DayPage = await pageAt(place);
      reading.add(page);
      if (reading.isShifted) break;
      for (const line of page.lines) {
        const name = `${line.kind} ${line.id}`;
        if (!yielded.has(name)) yield line;
        yielded.add(name);
      }
      place = page.next ?? undefined;
    }
    if (!reading.isWhole) continue;
    if (reading.setAsideCount > 0) onSetAside(reading.setAsideCount);
    return;
  }
  throw new ProviderFault("unknown", "the pages of a statement went on shifting", { code: "shifting_pages" });
}

/** One reading of a day. */
class Reading {
  isShifted = false;
  setAsideCount = 0;
  readonly #ids = new Set<string>();
  readonly #places = new Set<string>();
  #rowCount = 0;
  #total: number | null | undefined;

  get isWhole(): boolean {
    return !this.isShifted && (this.#total == null || this.#total === this.#rowCount);
  }

  /** Throws ProviderFault if a day has more than is read of it. */
  add({ ids, rowCount, setAsideCount, total, next }: DayPage): void {
    this.#total ??= total;
    const isOtherTotal = this.#total !== total;
    const isRepeated = ids.some((id) => this.#ids.has(id)) || new Set(ids).size < ids.length;
    const isRound = next !== null && this.#places.has(next);
    this.isShifted ||= isOtherTotal || isRepeated || isRound;
    for (const id of ids) this.#ids.add(id);
    if (next !== null) this.#places.add(next);
    this.#rowCount += rowCount;
    this.setAsideCount += setAsideCount;
    if (this.#rowCount > ROWS_MAX || this.#places.size > PAGES_MAX) {
      throw new ProviderFault("unknown", "a statement is too large", { code: "statement_too_large" });
    }
  }
}
