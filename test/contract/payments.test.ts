import { describe, expect, test } from "vitest";
import pg from "pg";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { startService } from "../support/service.ts";
import { overEachTransport } from "../support/transports.ts";
import { forFile } from "../support/for-file.ts";

const transports = await overEachTransport();

describe.each(transports)("GET /v1/payments over the $kind transport", ({ service, api }) => {
  /** A paid campaign link's payment, started at that moment. */
  const payAt = async (payer: Api, moment: string): Promise<string> => {
    service.clock.set(new Date(moment));
    const link = await payer.post("/v1/payment_links", { amount: 5000, currency: "BRL" });
    const paid = await payer.post(`/v1/payment_links/${link.body.id}/simulate_payment`, {
      outcome: "succeeded",
    });
    expect(paid.status).toBe(200);
    return paid.body.id;
  };
  const list = (query: string, reader = api) => reader.get(`/v1/payments?${query}`);

  test("a payment at 22:00 at offset -03:00 belongs to that day, even if it is the next day in UTC", async () => {
    const id = await payAt(api, "2026-03-10T22:00:00-03:00");
    const onDay = await list("from=2026-03-10&to=2026-03-10");
    expect(onDay.body).toMatchObject({ data: [{ id }], has_more: false, next_cursor: null });
    expect((await list("from=2026-03-11&to=2026-03-11")).body.data).toEqual([]);
  });

  test("from is inclusive from 00:00:00, to is inclusive to 23:59:59", async () => {
    const ids = [];
    for (const moment of [
      "2026-04-01T23:59:59",
      "2026-04-02T00:00:00",
      "2026-04-03T23:59:59",
      "2026-04-04T00:00:00",
    ]) {
      ids.push(await payAt(api, `${moment}-03:00`));
    }
    const { body } = await list("from=2026-04-02&to=2026-04-03");
    expect(body.data.map((payment: { id: string }) => payment.id)).toEqual([ids[2], ids[1]]);
  });

  test("days before 2019 follow the summer time of their year", async () => {
    const other = await service.createTenant();
    const otherApi = new Api(service, other.testKey);
    const id = await payAt(otherApi, "2018-12-01T02:30:00Z");
    expect((await list("from=2018-12-01&to=2018-12-01", otherApi)).body.data).toMatchObject([{ id }]);
  });

  test("Ordering: created_at descending, then id descending; pages by starting_after tile the period", async () => {
    const own = await service.createTenant();
    const reader = new Api(service, own.testKey);
    const moments = Array.from(
      { length: 7 },
      (_, index) => `2026-05-0${1 + Math.floor(index / 3)}T12:00:00-03:00`,
    );
    for (const moment of moments) await payAt(reader, moment);
    const all = (await list("from=2026-05-01&to=2026-05-31&limit=100", reader)).body.data;
    expect(all).toHaveLength(7);
    const sorted = all.toSorted(
      (a: { created_at: number; id: string }, b: { created_at: number; id: string }) =>
        b.created_at - a.created_at || (a.id < b.id ? 1 : -1),
    );
    expect(all).toEqual(sorted);
    const pages = [];
    let cursor = "";
    for (;;) {
      const { body } = await list(`from=2026-05-01&to=2026-05-31&limit=3${cursor}`, reader);
      pages.push(...body.data);
      expect(body.next_cursor).toBe(body.has_more ? body.data.at(-1).id : null);
      if (!body.has_more) break;
      cursor = `&starting_after=${body.next_cursor}`;
    }
    expect(pages).toEqual(all);
  });

  test("a cursor from after the period starts at the period's end", async () => {
    const own = await service.createTenant();
    const reader = new Api(service, own.testKey);
    const inside = await payAt(reader, "2026-06-01T12:00:00-03:00");
    const after = await payAt(reader, "2026-06-05T12:00:00-03:00");
    const { body } = await list(`from=2026-06-01&to=2026-06-02&starting_after=${after}`, reader);
    expect(body.data).toMatchObject([{ id: inside }]);
  });

  test("limit: default 20, maximum 100", async () => {
    const own = await service.createTenant();
    const reader = new Api(service, own.testKey);
    service.clock.set(new Date("2026-07-01T12:00:00-03:00"));
    const link = await reader.post("/v1/payment_links", { amount: 5000, currency: "BRL", campaign: true });
    const url = `/v1/payment_links/${link.body.id}/simulate_payment`;
    for (let index = 0; index < 21; index++) await reader.post(url, { outcome: "failed" });
    const { body } = await list("from=2026-07-01&to=2026-07-01", reader);
    expect(body.data).toHaveLength(20);
    expect(body.has_more).toBe(true);
    expect((await list("from=2026-07-01&to=2026-07-01&limit=100", reader)).body.data).toHaveLength(21);
  });

  test("There is no status filter; all payments in the period are returned", async () => {
    const own = await service.createTenant();
    const reader = new Api(service, own.testKey);
    service.clock.set(new Date("2026-08-01T12:00:00-03:00"));
    const link = await reader.post("/v1/payment_links", { amount: 5000, currency: "BRL" });
    const url = `/v1/payment_links/${link.body.id}/simulate_payment`;
    for (const outcome of ["failed", "expired", "succeeded"]) await reader.post(url, { outcome });
    const { body } = await list("from=2026-08-01&to=2026-08-01", reader);
    expect(body.data.map((payment: { status: string }) => payment.status).toSorted()).toEqual([
      "expired",
      "failed",
      "succeeded",
    ]);
    const refused = await list("from=2026-08-01&to=2026-08-01&status=failed", reader);
    expectError(refused, { code: "unknown_parameter", param: "status" });
  });

  test.each([
    ["to=2026-01-01", "from"],
    ["from=2026-01-01", "to"],
    ["from=2026-02-30&to=2026-03-01", "from"],
    ["from=2026-01-01&to=2026-13-01", "to"],
    ["from=2026-1-1&to=2026-01-02", "from"],
    ["from=2026-01-02&to=2026-01-01", "from"],
    ["from=0000-01-01&to=2026-01-01", "from"],
    ["from=2026-01-01T00:00:00&to=2026-01-01", "from"],
    ["from=2026-01-01&to=2026-01-01&limit=101", "limit"],
    ["from=2026-01-01&to=2026-01-01&limit=0", "limit"],
    ["from=2026-01-01&to=2026-01-01&limit=-1", "limit"],
    ["from=2026-01-01&to=2026-01-01&limit=01", "limit"],
    ["from=2026-01-01&to=2026-01-01&limit=1e1", "limit"],
    ["from=2026-01-01&to=2026-01-01&limit=", "limit"],
    ["from=2026-01-01&to=2026-01-01&limit=5&limit=5", "limit"],
    ["from=2026-01-01&from=2026-01-01&to=2026-01-01", "from"],
    ["from=2026-01-01&to=2026-01-01&starting_after=pay_01jd0000000000000000000000", "starting_after"],
    ["from=2026-01-01&to=2026-01-01&starting_after=", "starting_after"],
  ])("400 invalid_request for ?%s", async (query, param) => {
    expectError(await list(query), { param });
  });

  test("the first and the last day there can be are answered", async () => {
    expect((await list("from=0001-01-01&to=9999-12-31&limit=1")).status).toBe(200);
  });

  test("GET /v1/payments/{id}: 404 payment_not_found for an unknown id, whatever it looks like", async () => {
    for (const id of ["pay_01jd0000000000000000000000", "x", "pay_%00", "pl_1", "x".repeat(5000)]) {
      expectError(await api.get(`/v1/payments/${id}`), { status: 404, code: "payment_not_found" });
    }
  });

  test("a payer's price has one source: the database refuses to change or remove a price row", async () => {
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    const { rows } = await client.query("SELECT FROM test.price LIMIT 1");
    expect(rows).toHaveLength(1);
    for (const sql of [
      "UPDATE test.price SET payer_total_minor = 1",
      "DELETE FROM test.price",
      "TRUNCATE test.price CASCADE",
    ]) {
      await expect(client.query(sql)).rejects.toThrow("price is append-only");
    }
    await client.end();
  });
});

const service = await forFile(startService());

describe("the price quoted, accepted, paid and reported is one", () => {
  const options = (["BRL", "USD"] as const).flatMap((payout) =>
    (["BRL", "USD"] as const).flatMap((currency) =>
      (["absorb", "pass_through"] as const).flatMap((feeHandling) =>
        [
          { payment_method: "pix" },
          { payment_method: "card", installments: 1 },
          { payment_method: "card", installments: 7 },
          { payment_method: "card", installments: 21 },
        ].map((option) => ({ payout, currency, feeHandling, option })),
      ),
    ),
  );
  test.each(options)(
    "$currency paid out in $payout, $feeHandling, $option",
    async ({ payout, currency, feeHandling, option }) => {
      const tenant = await service.createTenant({ payoutCurrency: payout });
      const api = new Api(service, tenant.testKey);
      const amount = 12_345;
      const quote = (await api.post("/v1/quotes", { amount, currency, fee_handling: feeHandling, ...option }))
        .body;
      const link = (await api.post(`/v1/quotes/${quote.id}/accept`, { name: "x" })).body;
      const simulated = await api.post(`/v1/payment_links/${link.id}/simulate_payment`, {
        outcome: "succeeded",
        payment_method: option.payment_method,
      });
      const payment = simulated.body;
      expect([link.payer_total, payment.gross_amount, payment.amount]).toEqual(
        Array(3).fill(quote.payer_total),
      );
      expect([link.receiver_net, payment.net_amount]).toEqual(Array(2).fill(quote.receiver_net));
      expect([link.receiver_currency, payment.net_currency]).toEqual([payout, payout]);
      expect({ amount: payment.fee_amount, currency: payment.fee_currency }).toEqual(
        quote.breakdown.total_fee,
      );
      expect(payment.fx).toEqual(quote.fx);
      expect(payment.fee_handling).toBe(feeHandling);
      expect(payment.installments).toBe(option.installments ?? null);
      expect((await api.get(`/v1/payments/${payment.id}`)).text).toBe(simulated.text);
    },
  );
});
