import { beforeAll, describe, expect, test } from "vitest";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service, { settlementDays: 0 });
const other = await createMerchant(service, { settlementDays: 0 });
const DAYS = ["2026-03-06", "2026-03-05", "2026-03-04"];
const MARCH = "from=2026-03-01&to=2026-03-31";

let net: number;
beforeAll(async () => {
  for (const day of DAYS.toReversed()) {
    service.clock.set(new Date(`${day}T12:00:00-03:00`));
    net = (await merchant.pay()).body.net_amount;
    await merchant.pay();
    await service.core.tasks.settle();
  }
  service.clock.set(new Date("2026-03-09T12:00:00-03:00"));
  await other.pay();
  await service.core.tasks.settle();
});

const get = async (query: string, api = merchant.api) => await api.get(`/v1/payouts?${query}`);
const payoutOf = (day: string) => ({ day, currency: "BRL", amount: 2 * net, payment_count: 2 });

describe("GET /v1/payouts", () => {
  test("sums what became available by day and currency, the latest first", async () => {
    expect((await get(MARCH)).body).toEqual({ data: DAYS.map(payoutOf), has_more: false, next_cursor: null });
    expect((await get("from=2026-03-05&to=2026-03-05")).body.data).toEqual([payoutOf("2026-03-05")]);
  });

  test("pages by starting_after tile the period", async () => {
    const first = await get(`${MARCH}&limit=2`);
    const next_cursor = "2026-03-05:BRL";
    expect(first.body).toEqual({ data: DAYS.slice(0, 2).map(payoutOf), has_more: true, next_cursor });
    const second = await get(`${MARCH}&limit=2&starting_after=${next_cursor}`);
    expect(second.body).toEqual({ data: DAYS.slice(2).map(payoutOf), has_more: false, next_cursor: null });
  });

  test("has nothing of another tenant or the other mode", async () => {
    expect((await get(MARCH, other.api)).body.data).toMatchObject([{ day: "2026-03-09", payment_count: 1 }]);
    expect((await get(MARCH, new Api(service, merchant.tenant.liveKey))).body.data).toEqual([]);
  });

  test.each([
    ["to=2026-03-31", { param: "from" }],
    ["from=2026-03-01", { param: "to" }],
    ["from=2026-03-02&to=2026-03-01", { param: "from" }],
    ["from=2026-02-30&to=2026-03-01", { param: "from" }],
    [`${MARCH}&limit=101`, { param: "limit" }],
    [`${MARCH}&starting_after=2026-03-05`, { param: "starting_after" }],
    [`${MARCH}&status=paid`, { code: "unknown_parameter", param: "status" }],
  ])("refuses ?%s", async (query, refusal) => {
    expectError(await get(query), refusal);
  });
});
