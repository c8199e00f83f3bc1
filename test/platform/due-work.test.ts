import { expect, test, vi } from "vitest";
import { DueWork, type Concurrency } from "../../src/platform/work/due-work.ts";

const ROW = { tenantId: "ten", accountId: "acc" };

/** Work of one account, whose provider fails until `isDown` is false. */
function workOf(pauseMsMax?: number) {
  const state = { nowMs: 0, isDown: true };
  let [runCount, isDue] = [0, true];
  const work = new DueWork({
    clock: { nowMs: () => state.nowMs },
    concurrency: { ofAccount: 4 },
    rows: {
      find: async (_limit, { accounts }) =>
        await Promise.resolve(isDue && !accounts.includes(ROW.accountId) ? [ROW] : []),
      take: async (_tenantId, rows) => {
        isDue = false;
        return await Promise.resolve([...rows]);
      },
      idOf: () => "row",
    },
    run: async () => {
      runCount++;
      await (state.isDown ? Promise.reject(new Error("no answer")) : Promise.resolve());
    },
    isOutage: () => true,
    onLateFault: () => undefined,
    failure: "work failed",
    ...(pauseMsMax === undefined ? {} : { pauseMsMax }),
  });
  /** Runs a round in which the row is due. Returns true if it asked the provider. */
  const isAsked = async (): Promise<boolean> => {
    const before = runCount;
    isDue = true;
    await work.round().catch(() => undefined);
    return runCount > before;
  };
  return { state, isAsked };
}

test.each([
  ["of at most 300 seconds", undefined, [15, 30, 60, 120, 240, 300, 300]],
  ["of at most its own length", 15_000, [15, 15, 15, 15]],
])("three outages in a row and each after them begin a pause %s", async (_, pauseMsMax, pauses) => {
  const { state, isAsked } = workOf(pauseMsMax);
  expect([await isAsked(), await isAsked(), await isAsked()]).toEqual([true, true, true]);
  for (const seconds of pauses) {
    state.nowMs += seconds * 1000 - 1;
    expect(await isAsked()).toBe(false);
    state.nowMs++;
    expect(await isAsked()).toBe(true);
  }
});

test("a success ends the outages: three more begin the first pause again", async () => {
  const { state, isAsked } = workOf();
  for (let count = 0; count < 3; count++) await isAsked();
  state.nowMs += 15_000;
  state.isDown = false;
  expect(await isAsked()).toBe(true);
  state.isDown = true;
  expect([await isAsked(), await isAsked(), await isAsked()]).toEqual([true, true, true]);
  state.nowMs += 14_999;
  expect(await isAsked()).toBe(false);
});

test("after an outage an account has one place, which slow work does not keep, and never more than its own number", async () => {
  let [nowMs, clockMs] = [1000, 0];
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const due = Array.from({ length: 10 }, (_, index) => ({ ...ROW, id: String(index) }));
  const running: ((error?: Error) => void)[] = [];
  const work = new DueWork({
    clock: { nowMs: () => clockMs },
    concurrency: { ofAccount: 4 },
    rows: {
      find: async (_limit, { accounts }) =>
        await Promise.resolve(accounts.includes(ROW.accountId) ? [] : [...due]),
      take: async (_tenantId, rows) => await Promise.resolve(due.splice(0, rows.length)),
      idOf: ({ id }) => id,
    },
    run: async () =>
      await new Promise<void>((resolve, reject) =>
        running.push((error) => (error ? reject(error) : resolve())),
      ),
    isOutage: () => true,
    onLateFault: () => undefined,
    failure: "work failed",
  });
  const rounds = [work.round().catch(() => undefined)];
  await expect.poll(() => running.length).toBe(4);
  for (const end of running) end(new Error("no answer"));
  await Promise.all(rounds);
  expect(running).toHaveLength(4);
  [nowMs, clockMs] = [nowMs + 1, 60_000];
  const counts: number[] = [];
  for (let count = 0; count < 6; count++) {
    rounds.push(work.round().catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, 50));
    counts.push(running.length - 4);
    nowMs += 5000;
  }
  expect(counts).toEqual([1, 2, 3, 4, 4, 4]);
  for (const end of running) end();
  await work.stop();
  vi.restoreAllMocks();
});

interface HeldRow {
  readonly id: string;
  readonly tenantId: string;
  readonly accountId: string;
}

/** Work whose provider answers no row until it is released. The rows are due in their order. */
function heldWork(rows: readonly HeldRow[], concurrency: Concurrency = { ofAccount: 4 }) {
  const due = new Set(rows);
  const held = new Map<HeldRow, () => void>();
  const ends: Promise<void>[] = [];
  /** What the next takings wait for. */
  const taking: Promise<void>[] = [];
  const work = new DueWork<HeldRow>({
    clock: { nowMs: () => 0 },
    concurrency,
    rows: {
      find: async (limit, { accounts, tenants }) => {
        const isAsked = ({ accountId, tenantId }: HeldRow) =>
          !accounts.includes(accountId) && !tenants.includes(tenantId);
        return await Promise.resolve([...due].filter(isAsked).slice(0, limit));
      },
      take: async (_tenantId, taken) => {
        await taking.shift();
        for (const row of taken) due.delete(row);
        return await Promise.resolve([...taken]);
      },
      idOf: ({ id }) => id,
    },
    run: async (row) => await new Promise<void>((resolve) => held.set(row, resolve)),
    isOutage: () => false,
    onLateFault: () => undefined,
    failure: "work failed",
  });
  const release = (row: HeldRow): void => {
    held.get(row)?.();
    held.delete(row);
  };
  const countOf = (tenantId: string) => [...held.keys()].filter((row) => row.tenantId === tenantId).length;
  const start = () => ends.push(work.round().then(() => undefined));
  const end = async () => {
    const releasing = setInterval(() => [...held.keys()].forEach(release), 1);
    await Promise.all(ends);
    clearInterval(releasing);
  };
  return { due, held, taking, release, countOf, start, end, stop: async () => await work.stop() };
}

/** Returns due rows of a tenant, of each of its accounts in turn. */
function rowsOf(tenantId: string, accounts: number, count: number): HeldRow[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${tenantId} ${index}`,
    tenantId,
    accountId: `${tenantId} ${index % accounts}`,
  }));
}

test("a tenant of 16 slow accounts and 1000 due rows has half of the permits, and delays no other tenant", async () => {
  const [row] = rowsOf("other", 1, 1) as [HeldRow];
  const { held, countOf, due, start, end } = heldWork([...rowsOf("many", 16, 1000), row]);
  start();
  await expect.poll(() => held.has(row)).toBe(true);
  expect([countOf("many"), countOf("other")]).toEqual([16, 1]);
  await end();
  expect(due.size).toBe(0);
});

test("a free permit goes to the tenant that has the fewest", async () => {
  const many = ["one", "two", "three"].flatMap((tenantId) => rowsOf(tenantId, 16, 300));
  const { held, countOf, due, release, start, end } = heldWork(many);
  start();
  await expect.poll(() => held.size).toBe(32);
  const counts = ["one", "two", "three"].map(countOf);
  expect([Math.min(...counts), Math.max(...counts)]).toEqual([10, 11]);
  const [row] = rowsOf("other", 1, 1) as [HeldRow];
  due.add(row);
  release([...held.keys()][0] as HeldRow);
  await expect.poll(() => held.has(row)).toBe(true);
  await end();
});

test("of tenants that have equally many, the one that has waited longest for its turn gets the permit", async () => {
  const tenants = ["one", "two", "three"];
  const { held, release, start, end } = heldWork(
    tenants.flatMap((tenantId) => rowsOf(tenantId, 1, 3)),
    { ofAccount: 1, total: 1 },
  );
  start();
  const turns: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    await expect.poll(() => held.size).toBe(1);
    const [row] = [...held.keys()] as [HeldRow];
    turns.push(row.tenantId);
    release(row);
  }
  expect(turns).toEqual([...tenants, ...tenants]);
  await end();
});

test("what is stopped takes no more rows, and waits for the work that runs", async () => {
  const { due, held, release, start, stop } = heldWork(rowsOf("one", 1, 10));
  start();
  await expect.poll(() => held.size).toBe(4);
  let isStopped = false;
  const stopping = stop().then(() => (isStopped = true));
  const [first, ...others] = [...held.keys()];
  release(first as HeldRow);
  await expect.poll(() => held.size).toBe(3);
  expect([isStopped, due.size]).toEqual([false, 6]);
  others.forEach(release);
  await stopping;
  expect(due.size).toBe(6);
});

test("what is taken at the moment of the stop is worked on, and waited for", async () => {
  const [row] = rowsOf("one", 1, 1) as [HeldRow];
  const { held, release, start, stop, taking } = heldWork([row]);
  const { promise: isTaken, resolve: take } = Promise.withResolvers<void>();
  taking.push(isTaken);
  start();
  await expect.poll(() => taking.length).toBe(0);
  let isStopped = false;
  const stopping = stop().then(() => (isStopped = true));
  take();
  await expect.poll(() => held.has(row)).toBe(true);
  expect(isStopped).toBe(false);
  release(row);
  await stopping;
});
