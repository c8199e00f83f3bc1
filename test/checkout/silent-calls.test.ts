import { setTimeout as passes } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { CallName } from "../../tools/bank/faults.ts";
import { connectMerchant, startLive, type LiveMerchant } from "../provider-accounts/live-merchant.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";

const HANGS = { kind: "hang" } as const;
const WORKER_MS = 1000;

const live = await forFile(startLive());
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());
live.service.clock.run();
live.bank.clock.set(new Date(live.service.clock.nowMs()));

afterEach(async () => {
  live.bank.faults.clear();
  live.service.faults.length = 0;
  await rows.run("UPDATE live.charge SET is_open = false");
});

const asked = (call: CallName) => live.bank.requests.filter(({ call: name }) => name === call);

/** Rounds of the worker, as a running one has them. */
function startWorker(): { stop: () => Promise<void> } {
  const stopped = new AbortController();
  const rounds: Promise<unknown>[] = [];
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const round = live.service.core.tasks.checkCharges().catch(() => undefined);
      rounds.push(round);
      await Promise.race([round, passes(WORKER_MS)]);
      await passes(WORKER_MS);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

async function openMany(merchant: LiveMerchant, count: number): Promise<Payer[]> {
  const open = async (): Promise<Payer> => {
    const payer = new Payer(live.service, await merchant.newLink({ payment_methods: ["pix"] }));
    await payer.open();
    return payer;
  };
  return await Promise.all(Array.from({ length: count }, open));
}

/** Starts a payment. Returns the seconds until its page has the code. */
async function secondsToCode(payer: Payer): Promise<number> {
  const startedMs = performance.now();
  await payer.start();
  while ((await payer.session()).payment?.pixCode === undefined) await passes(100);
  return (performance.now() - startedMs) / 1000;
}

describe("of an account whose bank is silent to some payers", () => {
  test("ten others get their codes in 3 s while eight calls hang", async () => {
    const merchant = await connectMerchant(live);
    const [silent, others] = [await openMany(merchant, 8), await openMany(merchant, 10)];
    // The account has its token, and the bank answers others.
    await secondsToCode((await openMany(merchant, 1))[0] as Payer);
    const before = asked("createCharge").length;
    live.bank.fail("createCharge", HANGS, 8);
    const worker = startWorker();
    const hanging = silent.map(async (payer) => await secondsToCode(payer));
    await vi.waitFor(() => expect(asked("createCharge")).toHaveLength(before + 8), { timeout: 20_000 });
    const seconds = await Promise.all(others.map(secondsToCode));
    const own = await Promise.all(hanging);
    await worker.stop();
    console.info(`others: ${text(seconds)}; those of the silent calls: ${text(own)}`);
    expect(Math.max(...seconds)).toBeLessThan(3);
    expect(Math.max(...own)).toBeLessThan(20);
  }, 120_000);

  test("ten others get their codes in 3 s while the two calls of four payers hang", async () => {
    const merchant = await connectMerchant(live);
    const [silent, others] = [await openMany(merchant, 4), await openMany(merchant, 10)];
    await secondsToCode((await openMany(merchant, 1))[0] as Payer);
    const before = asked("createCharge").length;
    live.bank.fail("createCharge", HANGS, 4);
    live.bank.fail("readCharge", HANGS, 4);
    const worker = startWorker();
    await Promise.all(silent.map(async (payer) => await payer.start()));
    expect(asked("createCharge")).toHaveLength(before + 4);
    await vi.waitFor(() => expect(asked("readCharge")).not.toHaveLength(0), { timeout: 20_000 });
    const seconds = await Promise.all(others.map(secondsToCode));
    await worker.stop();
    console.info(`others: ${text(seconds)}`);
    expect(Math.max(...seconds)).toBeLessThan(3);
  }, 120_000);
});

test("a charge has one call under way: the worker asks after the page's call was ended", async () => {
  const merchant = await connectMerchant(live);
  live.bank.fail("createCharge", HANGS);
  const { payer, paymentId, reference } = await merchant.start();
  const calls = () =>
    live.bank.requests.flatMap(({ path, method }) => (path.endsWith(reference) ? [method] : []));
  const faults = () => live.service.faults.filter((fault) => JSON.stringify(fault).includes(paymentId));
  const worker = startWorker();
  const startedMs = performance.now();
  await vi.waitFor(() => expect(faults()).toHaveLength(1), { timeout: 20_000 });
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(calls()).toEqual(["PUT"]);
  await vi.waitFor(async () => expect((await payer.session()).payment?.pixCode).toBeDefined(), {
    timeout: 20_000,
  });
  expect(calls()).toEqual(["PUT", "GET", "PUT"]);
  await worker.stop();
});

test("a bank that answers its token late is waited for ten seconds, by all calls together", async () => {
  live.bank.fail("token", HANGS);
  const merchant = await connectMerchant(live);
  await merchant.start();
  await vi.waitFor(() => expect(live.service.faults).toHaveLength(1), { timeout: 20_000 });
  expect(live.service.faults).toMatchObject([{ err: { code: "TimeoutError", isOutage: true } }]);
});

function text(seconds: readonly number[]): string {
  return seconds.map((one) => one.toFixed(1)).join(" ");
}
