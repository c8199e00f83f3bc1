import { expect, test } from "vitest";
import { judgeRates, type LiveRate } from "../../../cli/operate/doctor/rates.ts";
import { finding } from "./examined.ts";

const FEED = { source: "ptax", answeredAt: undefined, failureCount: 0, failure: undefined };
const SPOT = { text: "5.432100", source: "ptax", ageSeconds: 7200, maxAgeSeconds: 108_000, isStale: false };
const GOOD: LiveRate = { spot: SPOT, heldCount: 0, feed: FEED };
const STALE = { ...SPOT, ageSeconds: 109_000, isStale: true };

const judged = (changes: Partial<LiveRate>, isFetched = true) =>
  judgeRates({ ...GOOD, ...changes }, isFetched);

test("a fresh rate is shown with its source and age", () => {
  expect(judged({})).toEqual([
    { check: "rates", status: "ok", found: "live: 5.432100 from ptax, 2 h of 30 h old" },
  ]);
});

test("no rate is fine where people publish it: only BRL is sold", () => {
  expect(judged({ spot: undefined, feed: undefined }, false)).toMatchObject([{ status: "ok" }]);
});

test("a rate that is held, a source that fails, and a rate that is too old are each found", () => {
  const feed = { ...FEED, failureCount: 3, failure: "status_503", answeredAt: new Date("2031-03-07T17:00Z") };
  expect(judged({ spot: STALE, heldCount: 2, feed })).toEqual([
    finding(
      "rates",
      "warning",
      /^2 fetched rates are held: a jump of more than 5 %, or a bank day's second$/,
      /fx release ID/,
    ),
    finding("rates", "warning", /^ptax failed 3 times \(status_503\), last answer 2031-03-07T/, /PTAX_URL/),
    finding("rates", "warning", /30 h of 30 h old: too old/, /until the source answers/),
  ]);
  expect(judged({ feed: { ...feed, failureCount: 2 } })).toMatchObject([{ status: "ok" }]);
});

test("a source that no worker asks is found, and advice without a source is to publish or switch it on", () => {
  expect(judged({ feed: undefined })).toEqual([
    finding("rates", "warning", /^ptax was never asked$/, /worker/),
  ]);
  expect(judged({ spot: { ...STALE, source: "manual" } }, false)).toEqual([
    finding("rates", "warning", /from manual.*too old/, /FX_SOURCE=ptax/),
  ]);
});
