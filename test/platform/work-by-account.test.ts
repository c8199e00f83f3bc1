import { expect, test } from "vitest";
import { WorkByAccount } from "../../src/platform/work-by-account.ts";

const ROW = { tenantId: "ten", accountId: "acc" };

/** Work of one account, whose provider fails until `isDown` is false. */
function workOf(pauseMsMax?: number) {
  const state = { nowMs: 0, isDown: true };
  let [runCount, isDue] = [0, true];
  const work = new WorkByAccount({
    clock: { nowMs: () => state.nowMs },
    places: 4,
    find: async (_limit, except) =>
      await Promise.resolve(isDue && !except.includes(ROW.accountId) ? [ROW] : []),
    take: async (_tenantId, rows) => {
      isDue = false;
      return await Promise.resolve([...rows]);
    },
    idOf: () => "row",
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
