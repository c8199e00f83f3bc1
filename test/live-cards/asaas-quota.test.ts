import { describe, expect, test } from "vitest";
import { refusalOf } from "../../src/providers/answers.ts";
import { readCallback } from "../../src/providers/asaas/callback.ts";
import { CallQuota } from "../../src/providers/asaas/quota.ts";
import { ProviderFault } from "../../src/providers/provider-fault.ts";

const headers = (remaining: number, reset = 600) => ({
  "ratelimit-limit": "1000",
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(reset),
});

/** Returns the seconds for which a purpose is put off, or null. */
function putOff(quota: CallQuota, purpose: Parameters<CallQuota["require"]>[0], nowMs: number) {
  try {
    quota.require(purpose, nowMs);
    return null;
  } catch (error) {
    expect(error).toMatchObject({ kind: "busy", code: "few_calls_left" });
    return (error as ProviderFault).retryAfterSeconds;
  }
}

describe("the calls that an account has left", () => {
  test("are kept for payers: a fifth from checks, a tenth from statements, until the provider gives new ones", () => {
    const quota = new CallQuota();
    const all = (nowMs: number) => [
      putOff(quota, "payer", nowMs),
      putOff(quota, "statement", nowMs),
      putOff(quota, "check", nowMs),
    ];
    expect(all(0)).toEqual([null, null, null]);
    quota.note(headers(201), 0);
    expect(all(0)).toEqual([null, null, null]);
    quota.note(headers(200), 0);
    expect(all(0)).toEqual([null, null, 600]);
    quota.note(headers(100), 1000);
    expect(all(2000)).toEqual([null, 599, 599]);
    quota.note(headers(0), 1000);
    expect(all(600_999)).toEqual([null, 1, 1]);
    expect(all(601_000)).toEqual([null, null, null]);
  });

  test("are kept by two fifths from payers who ask again, who so put off no check", () => {
    const quota = new CallQuota();
    quota.note(headers(401), 0);
    expect(putOff(quota, "again", 0)).toBeNull();
    quota.note(headers(400), 0);
    expect([putOff(quota, "again", 0), putOff(quota, "check", 0)]).toEqual([600, null]);
  });

  test("are asked about again after an hour, and answers that do not tell them change nothing", () => {
    const quota = new CallQuota();
    quota.note(headers(10, 43_200), 0);
    quota.note({}, 0);
    quota.note({ ...headers(900), "ratelimit-limit": "many" }, 0);
    quota.note({ ...headers(900), "ratelimit-limit": "0" }, 0);
    expect(putOff(quota, "check", 0)).toBe(3600);
    expect(putOff(quota, "check", 43_199_000)).toBe(1);
    expect(putOff(quota, "check", 43_200_000)).toBeNull();
  });

  test("pause after a refusal for too many calls, for payers not", () => {
    const quota = new CallQuota();
    quota.pause(60, 0);
    expect([putOff(quota, "check", 1000), putOff(quota, "statement", 1000)]).toEqual([59, 59]);
    expect([putOff(quota, "payer", 1000), putOff(quota, "check", 60_000)]).toEqual([null, null]);
  });
});

test("a callback of a removal leads to no call, and another one does", () => {
  const payment = { id: "pay_1", externalReference: `pay${"0".repeat(26)}` };
  const read = (event: string) => readCallback(JSON.stringify({ event, payment }), "CREDIT_CARD");
  expect(read("PAYMENT_DELETED")).toEqual([]);
  expect(read("PAYMENT_CONFIRMED")).toHaveLength(1);
});

test("a callback of 130,000 numbers is read about as fast as JSON is", () => {
  const body = JSON.stringify({ event: "X", numbers: Array.from({ length: 130_000 }, () => 1) });
  const shortest = (act: () => unknown): number =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const before = performance.now();
        act();
        return performance.now() - before;
      }),
    );
  const plain = shortest(() => JSON.parse(body));
  expect(shortest(() => readCallback(body, "PIX"))).toBeLessThan(10 * plain);
});

test("a refusal for too many calls names a pause: its own, the time of new calls, or a minute", () => {
  const pauseOf = (given: Record<string, string>, status = 429): number | null =>
    refusalOf({ status, headers: given, text: "" }, "GET /x", new Date(0)).retryAfterSeconds;
  expect(pauseOf({ "retry-after": "40", "ratelimit-reset": "90" })).toBe(40);
  expect(pauseOf({ "ratelimit-reset": "90" })).toBe(90);
  expect(pauseOf({ "ratelimit-reset": "40000" })).toBe(3600);
  expect(pauseOf({})).toBe(60);
  expect(pauseOf({}, 503)).toBeNull();
});
