import type { ReceivedIn, ReceivedMoney } from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { ApiPixAccount } from "./account.ts";
import type { ApiPixClient } from "./client.ts";
import { ANSWER_TOO_LARGE } from "../connection.ts";
import { readStatement, type StatementPage } from "./messages.ts";
import type { OnSetAside } from "../readable-rows.ts";

// New money moves the pages of a statement while it is read.
const READINGS_MAX = 3;
const DAY_MS = 86_400_000;
// What one account's bank may say, so that it leaves memory and time to the others.
const PAGES_MAX = 200;
const PAGE_ROWS_MAX = 1000;
const ROWS_MAX = 50_000;
const TOO_LARGE = "statement_too_large";
// Of what the pages say, and of a page that is not read to its end.
const TOO_LARGE_CODES: ReadonlySet<string | null> = new Set([TOO_LARGE, ANSWER_TOO_LARGE]);
// A longer window that is too large is read in halves.
const WINDOW_MS_MIN = 60_000;

/** A list of money by periods, and what is asked for of it. */
export interface MoneyList {
  readonly path: string;
  readonly filter: Readonly<Record<string, string>>;
}

/** The standard's list, of all money by the time at which it came. */
export const STATEMENT: MoneyList = { path: "/pix", filter: {} };

/** What a reading of a statement needs. */
interface Reading {
  readonly client: ApiPixClient;
  readonly list: MoneyList;
  readonly signal: AbortSignal | undefined;
  readonly onSetAside: OnSetAside;
}

/** Yields the money that a list of an account has in a period, page by page, the oldest of a page first. Throws ProviderFault. */
export async function* statementOf(
  client: ApiPixClient,
  onSetAside: OnSetAside,
  { from, to }: ReceivedIn,
  list: MoneyList,
  signal?: AbortSignal,
): AsyncGenerator<ReceivedMoney> {
  const windowMs = client.account.profile.windowDays * DAY_MS;
  const reading = { client, list, signal, onSetAside };
  // Windows overlap where a bank's times have no milliseconds.
  let earlier: ReadonlySet<string> = new Set();
  for (let startMs = from.getTime(); startMs <= to.getTime(); startMs += windowMs) {
    const window = { from: new Date(startMs), to: new Date(Math.min(startMs + windowMs - 1, to.getTime())) };
    earlier = yield* windowOf(reading, window, earlier);
  }
}

/**
 * Yields the money of a window that `earlier` does not have. What came before a bank said too much comes again in the
 * halves. Returns the ids that the next window may repeat.
 */
async function* windowOf(
  reading: Reading,
  window: ReceivedIn,
  earlier: ReadonlySet<string>,
): AsyncGenerator<ReceivedMoney, ReadonlySet<string>> {
  const seen = new Set<string>();
  try {
    yield* wholeWindow(reading, window, earlier, seen);
    return seen;
  } catch (error) {
    if (!(error instanceof ProviderFault) || !TOO_LARGE_CODES.has(error.code)) throw error;
    const lengthMs = window.to.getTime() - window.from.getTime();
    if (lengthMs < WINDOW_MS_MIN) throw error;
    const middleMs = window.from.getTime() + Math.floor(lengthMs / 2);
    const first = yield* windowOf(reading, { from: window.from, to: new Date(middleMs) }, earlier);
    return yield* windowOf(reading, { from: new Date(middleMs + 1), to: window.to }, first);
  }
}

/**
 * Yields the money of one window. Pages that shift while they are read are read again. Some banks tell an id twice, or no
 * total: what two readings agree on has not shifted.
 */
async function* wholeWindow(
  reading: Reading,
  window: ReceivedIn,
  earlier: ReadonlySet<string>,
  seen: Set<string>,
): AsyncGenerator<ReceivedMoney> {
  let former: string | undefined;
  for (let count = 0; count < READINGS_MAX; count++) {
    const { state, found } = yield* readOnce(reading, window, earlier, seen);
    if (state === "whole" || (state === "odd" && found === former)) return;
    former = state === "odd" ? found : undefined;
  }
  throw new ProviderFault("unknown", "the pages of a statement went on shifting", { code: "shifting_pages" });
}

/** What one reading of a window found. "odd": it may be whole, though its counts are not those of the standard. */
interface FoundOnce {
  readonly state: "whole" | "odd" | "shifted";
  readonly found: string;
}

async function* readOnce(
  reading: Reading,
  window: ReceivedIn,
  earlier: ReadonlySet<string>,
  seen: Set<string>,
): AsyncGenerator<ReceivedMoney, FoundOnce> {
  const { pageSize } = reading.client.account.profile;
  const ids = new Set<string>();
  // Rows without a readable id.
  let unnamedCount = 0;
  let rowCount = 0;
  let hasRepeatedPage = false;
  const first = await page(reading, window, 0);
  let last = first;
  let number = 1;
  for (; ; number++) {
    const knownCount = ids.size + unnamedCount;
    for (const id of last.ids) ids.add(id);
    unnamedCount += last.rowCount - last.ids.length;
    rowCount += last.rowCount;
    requireBounds(last, number, ids.size + unnamedCount);
    for (const money of oldestFirst(last)) {
      const { providerPaymentId: id } = money;
      if (!earlier.has(id) && !seen.has(id)) yield money;
      seen.add(id);
    }
    if (last.rowCount === 0) break;
    const isNew = ids.size + unnamedCount > knownCount;
    if (last.pages === null && last.total === null) {
      if (!isNew || last.rowCount < pageSize) break;
    } else {
      hasRepeatedPage ||= !isNew;
      if (last.pages === null ? rowCount >= (last.total ?? 0) : number >= last.pages) break;
    }
    last = await page(reading, window, number);
  }
  const found = [...ids, unnamedCount].join(" ");
  if (first.total !== last.total) return { state: "shifted", found };
  const total = last.total ?? (number === 1 ? rowCount : null);
  if (ids.size + unnamedCount === total) return { state: "whole", found };
  // A bank that has one page for every number has more than that.
  const isOdd = !hasRepeatedPage && (total === null || rowCount === total);
  return { state: isOdd ? "odd" : "shifted", found };
}

function oldestFirst({ money }: StatementPage): ReceivedMoney[] {
  return money.toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime());
}

/** Throws ProviderFault if a bank has more of one window than is read of it. */
function requireBounds({ rowCount, pages, total }: StatementPage, number: number, readCount: number): void {
  const isInBounds =
    rowCount <= PAGE_ROWS_MAX &&
    Math.max(pages ?? 0, number) <= PAGES_MAX &&
    Math.max(total ?? 0, readCount) <= ROWS_MAX;
  if (!isInBounds) throw new ProviderFault("unknown", "a statement is too large", { code: TOO_LARGE });
}

async function page(
  { client, list, signal, onSetAside }: Reading,
  { from, to }: ReceivedIn,
  number: number,
): Promise<StatementPage> {
  const { pageSize } = client.account.profile;
  const query = new URLSearchParams({
    inicio: timeText(client.account, from, Math.floor),
    fim: timeText(client.account, to, Math.ceil),
    ...list.filter,
    "paginacao.paginaAtual": String(number),
    "paginacao.itensPorPagina": String(pageSize),
  });
  const path = `${list.path}?${query.toString()}`;
  const found = await client.call({ method: "GET", resource: "pix", path, signal });
  // To an empty statement some banks answer without a body, and some 404 with their own code.
  if (!found.isFound && found.code == null) {
    throw new ProviderFault("unknown", "a statement was answered with 404, not by the bank", {
      code: "unreadable",
    });
  }
  if (!found.isFound || !found.fields)
    return { money: [], ids: [], rowCount: 0, setAsideCount: 0, pages: 1, total: 0 };
  const read = readStatement(found.fields, client.readWith);
  if (read.setAsideCount > 0) onSetAside(read.setAsideCount);
  return read;
}

/** Returns a time as it is asked for: with an account's own offset, where a bank may not regard the label. */
function timeText(
  { profile, clockOffset = "Z" }: ApiPixAccount,
  time: Date,
  round: (seconds: number) => number,
): string {
  const ms = profile.hasMilliseconds ? time.getTime() : round(time.getTime() / 1000) * 1000;
  const text = Temporal.Instant.fromEpochMilliseconds(ms).toString({
    timeZone: clockOffset === "Z" ? "UTC" : clockOffset,
    fractionalSecondDigits: profile.hasMilliseconds ? 3 : 0,
  });
  return text.replace(/\+00:00$/, "Z");
}
