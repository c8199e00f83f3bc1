import { describe, expect, test } from "vitest";
import { InFlight } from "../../src/platform/write/keyed-writes.ts";

describe("duplicates in one process", () => {
  const outcome = { fingerprint: Buffer.alloc(0), requestId: "", response: null, error: null };

  test("wait for the first, and take its place when it comes to nothing", async () => {
    const inFlight = new InFlight();
    const first = Promise.withResolvers<typeof outcome>();
    let worked = 0;
    const work = async () => {
      worked += 1;
      return await (worked === 1 ? first.promise : Promise.resolve(outcome));
    };
    const joined = [inFlight.join("key", work), inFlight.join("key", work), inFlight.join("key", work)];
    expect(worked).toBe(1);
    expect(await inFlight.join("other key", () => Promise.resolve(outcome))).toBeUndefined();
    first.reject(new TypeError("broken"));
    await expect(joined[0]).rejects.toThrow("broken");
    expect((await Promise.all(joined.slice(1))).filter((answer) => answer === outcome)).toHaveLength(1);
    expect(worked).toBe(2);
    expect(await inFlight.join("key", work)).toBeUndefined();
    expect(worked).toBe(3);
  });

  test("wait for so long, and leave no timer behind", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const inFlight = new InFlight(5);
    const first = Promise.withResolvers<typeof outcome>();
    const running = inFlight.join("key", () => first.promise);
    const work = () => Promise.resolve(outcome);
    await expect(inFlight.join("key", work)).rejects.toMatchObject({
      code: "service_unavailable",
      message: "A request with the same Idempotency-Key is still being worked on: send it again in a moment.",
    });
    first.resolve(outcome);
    await running;
    const patient = new InFlight();
    const before = timers();
    expect(await Promise.all([patient.join("key", work), patient.join("key", work)])).toEqual([
      undefined,
      outcome,
    ]);
    expect(timers()).toBe(before);
  });
});
