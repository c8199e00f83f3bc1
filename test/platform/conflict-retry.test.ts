import { setImmediate as others } from "node:timers/promises";
import { expect, test } from "vitest";
import { ConflictRetry } from "../../src/platform/write/decision.ts";

/** A number that many add to, each by a decision that fails if another one was written since it began. */
class Row {
  value = 0;
  attempts = 0;

  readonly add = async (): Promise<{ value: number } | undefined> => {
    this.attempts++;
    const before = this.value;
    await others();
    if (this.value !== before) return undefined;
    return { value: ++this.value };
  };
}

const decider = { tenantId: "ten_1", mode: "test", kind: "CreateRefund" };

test("of many decisions about one row at once, each is made again once", async () => {
  const [turns, row] = [new ConflictRetry(), new Row()];
  const results = await Promise.all(Array.from({ length: 50 }, () => turns.run(decider, row.add)));
  expect(results.map(({ value }) => value).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
  expect(row.attempts).toBe(50 + 49);
});

test("those that come while others wait for their turn wait too, and are decided once", async () => {
  const [turns, row] = [new ConflictRetry(), new Row()];
  const first = [turns.run(decider, row.add), turns.run(decider, row.add), turns.run(decider, row.add)];
  await first[0];
  await others();
  const later = Array.from({ length: 10 }, () => turns.run(decider, row.add));
  await Promise.all([...first, ...later]);
  expect(row.value).toBe(13);
  expect(row.attempts).toBe(3 + 2 + 10);
});

test("of more than 512 that wait, the others are refused with service_unavailable", async () => {
  const [turns, row] = [new ConflictRetry(), new Row()];
  const signal = (): AbortSignal => new AbortController().signal;
  const ended = await Promise.allSettled(
    Array.from({ length: 600 }, () => turns.run({ ...decider, signal }, row.add)),
  );
  const refused = ended.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(600 - 1 - 513);
  for (const { reason } of refused as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ code: "service_unavailable" });
  }
  expect(row.value).toBe(514);
});

test("a decision whose caller has gone is not made again", async () => {
  const [turns, row] = [new ConflictRetry(), new Row()];
  const gone = AbortSignal.abort(new Error("gone"));
  const ended = await Promise.allSettled(
    Array.from({ length: 20 }, () => turns.run({ ...decider, signal: () => gone }, row.add)),
  );
  expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(19);
  expect(row.attempts).toBe(20);
});

test("another tenant, and the other mode, wait for no turn", async () => {
  const [turns, row] = [new ConflictRetry(), new Row()];
  const busy = Array.from({ length: 30 }, () => turns.run(decider, row.add));
  await busy[0];
  for (const other of [{ tenantId: "ten_2" }, { mode: "live" }]) {
    const own = new Row();
    await turns.run({ ...decider, ...other }, own.add);
    expect(own.attempts).toBe(1);
  }
  expect(row.value).toBeLessThan(30);
  await Promise.all(busy);
});

test("a decision within another's turn is a part of it", async () => {
  const [turns, outer, inner] = [new ConflictRetry(), new Row(), new Row()];
  const nested = async () => {
    const both = [turns.run(decider, inner.add), turns.run(decider, inner.add)];
    await Promise.all(both);
    return await outer.add();
  };
  await Promise.all(Array.from({ length: 5 }, () => turns.run(decider, nested)));
  expect(outer.value).toBe(5);
});
