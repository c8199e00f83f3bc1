import { beforeAll, describe, expect, test } from "vitest";
import { RefundScene } from "../refunds/scene.ts";
import { Api } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

interface Transaction {
  readonly id: string;
  readonly type: string;
  readonly payment_id: string;
  readonly refund_id: string | null;
  readonly currency: string;
  readonly pending: number;
  readonly available: number;
}

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
service.clock.set(new Date("2026-03-05T22:00:00-03:00"));
const merchant = await createMerchant(service, { settlementDays: 0 });
const other = await createMerchant(service);
const scene = new RefundScene(service, merchant, rows);

const get = async (query: string, api = merchant.api) => await api.get(`/v1/balance_transactions${query}`);
const listed = async (query: string): Promise<Transaction[]> => (await get(query)).body.data;

let payment: string;
let refund: string;
let net: number;
beforeAll(async () => {
  payment = await scene.paidByPix();
  await merchant.pay({ amount: 5000, currency: "USD" });
  await merchant.pay({}, { outcome: "failed" });
  net = (await merchant.api.get(`/v1/payments/${payment}`)).body.net_amount;
  await service.core.tasks.settle();
  service.clock.set(new Date("2026-03-06T09:00:00-03:00"));
  refund = (await scene.refund(payment, { amount: 777 })).body.id;
  await scene.returnedByProvider(payment, 400n);
  await scene.refresh(payment);
  await merchant.pay();
  await other.pay();
});

describe("GET /v1/balance_transactions", () => {
  test("has what each entry added, and the sums of all are the balance", async () => {
    const all = await listed("?limit=100");
    for (const { currency, pending, available } of (await merchant.api.get("/v1/balance")).body.data) {
      const own = all.filter((one) => one.currency === currency);
      const sums = {
        pending: own.reduce((sum, one) => sum + one.pending, 0),
        available: own.reduce((sum, one) => sum + one.available, 0),
      };
      expect(sums).toEqual({ pending, available });
    }
    expect(all.map(({ type }) => type).toSorted()).toEqual(
      ["payment", "payment", "payment", "refund", "return", "settlement", "settlement"].toSorted(),
    );
  });

  test("tells a payment's story, the latest first", async () => {
    const story = await listed(`?payment_id=${payment}`);
    expect(story).toHaveLength(4);
    const of = (type: string) => story.find((one) => one.type === type);
    expect(of("refund")).toEqual({
      id: `${payment}:refund:${refund}`,
      type: "refund",
      payment_id: payment,
      refund_id: refund,
      currency: "BRL",
      pending: 0,
      available: -777,
      created_at: Date.parse("2026-03-06T09:00:00-03:00") / 1000,
    });
    expect(of("return")).toMatchObject({ available: -400, refund_id: expect.stringMatching(/^ref_/) });
    expect(of("payment")).toMatchObject({ pending: net, available: 0, refund_id: null });
    expect(of("settlement")).toMatchObject({ pending: -net, available: net });
    expect(new Set(story.slice(0, 2).map(({ type }) => type))).toEqual(new Set(["refund", "return"]));
  });

  test("pages by starting_after tile the list, and days are those of São Paulo", async () => {
    const all = await listed("?limit=100");
    const pages: Transaction[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const after: string = cursor && `&starting_after=${encodeURIComponent(cursor)}`;
      const { body } = await get(`?limit=2${after}`);
      pages.push(...body.data);
      cursor = body.next_cursor;
      expect(body.has_more).toBe(cursor !== null);
    }
    expect(pages).toEqual(all);
    expect(await listed("?from=2026-03-06&to=2026-03-06")).toEqual(all.slice(0, 3));
    expect(await listed("?from=2026-03-05&to=2026-03-05")).toEqual(all.slice(3));
    expect(await listed("?from=2026-03-06")).toEqual(all.slice(0, 3));
    expect(await listed("?to=2026-03-05")).toEqual(all.slice(3));
    expect(await listed("?from=2026-03-07&to=2026-03-31")).toEqual([]);
  });

  test("has nothing of another tenant or the other mode", async () => {
    const { data } = (await get("", other.api)).body;
    expect(data).toMatchObject([{ type: "payment" }]);
    expect((await get("", new Api(service, merchant.tenant.liveKey))).body.data).toEqual([]);
    const foreign = encodeURIComponent(data[0].id);
    expectError(await get(`?starting_after=${foreign}`), { param: "starting_after" });
    expect(await listed(`?payment_id=${data[0].payment_id}`)).toEqual([]);
  });

  test.each([
    ["from=2026-03-02&to=2026-03-01", { param: "from" }],
    ["from=2026-02-30&to=2026-03-01", { param: "from" }],
    ["limit=101", { param: "limit" }],
    ["starting_after=pay_x:payment", { param: "starting_after" }],
    ["type=refund", { code: "unknown_parameter", param: "type" }],
  ])("refuses ?%s", async (query, refusal) => {
    expectError(await get(`?${query}`), refusal);
  });
});
