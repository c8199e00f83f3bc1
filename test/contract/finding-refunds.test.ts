import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { RefundScene } from "../refunds/scene.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const other = await createMerchant(service);
const scene = new RefundScene(service, merchant, rows);

const get = async (path: string, by: Merchant = merchant) => await by.api.get(path);
const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

/** Refunds of two payments, the newest first. */
const refunds: { id: string; amount: number }[] = [];
let returned: string;
let foreign: string;
beforeAll(async () => {
  const [one, two] = [await scene.paidByPix(), await scene.paidByPix()];
  refunds.unshift((await scene.refund(one, { amount: 100, reason: "Out of stock" })).body);
  refunds.unshift((await scene.refund(two, { amount: 200 })).body);
  refunds.unshift((await scene.refund(one, { amount: 300 })).body);
  await scene.returnedByProvider(two, 400n);
  await scene.refresh(two);
  const [row] = await rows.read("SELECT id FROM test.refund WHERE origin = 'provider'");
  returned = String(row?.["id"]);
  const theirs = (await other.pay()).body.id;
  foreign = (await other.api.post(`/v1/payments/${theirs}/refunds`, {})).body.id;
});

describe("GET /v1/refunds", () => {
  test("lists the refunds of all payments, newest first, and no return", async () => {
    expect(returned).toMatch(/^ref_/);
    expect((await get("/v1/refunds")).body).toEqual({ data: refunds, has_more: false, next_cursor: null });
    expect(idsIn(await get("/v1/refunds", other))).toEqual([foreign]);
  });

  test("pages by starting_after tile the list", async () => {
    const first = await get("/v1/refunds?limit=2");
    const next_cursor = refunds[1]?.id;
    expect(first.body).toEqual({ data: refunds.slice(0, 2), has_more: true, next_cursor });
    const second = await get(`/v1/refunds?limit=2&starting_after=${next_cursor}`);
    expect(second.body).toEqual({ data: refunds.slice(2), has_more: false, next_cursor: null });
  });

  test("a cursor that is no own refund, a limit over 100 and a filter are refused", async () => {
    for (const id of [foreign, returned, newId("ref"), "x"]) {
      expectError(await get(`/v1/refunds?starting_after=${id}`), { param: "starting_after" });
    }
    expectError(await get("/v1/refunds?limit=101"), { param: "limit" });
    const filtered = await get("/v1/refunds?status=failed");
    expectError(filtered, { code: "unknown_parameter", param: "status" });
  });
});

describe("GET /v1/refunds/{id}", () => {
  test("answers a refund as its list does", async () => {
    for (const refund of refunds) expect((await get(`/v1/refunds/${refund.id}`)).body).toEqual(refund);
  });

  test("another tenant's, a return and an unknown one are refund_not_found", async () => {
    for (const id of [foreign, returned, newId("ref"), "x"]) {
      expectError(await get(`/v1/refunds/${id}`), { status: 404, code: "refund_not_found" });
    }
  });
});

describe("GET /v1/disputes", () => {
  const disputes: string[] = [];
  beforeAll(async () => {
    for (const by of [merchant, other, merchant]) {
      const [id, payment] = [newId("dsp"), (await by.pay()).body.id];
      await rows.run(
        `INSERT INTO test.dispute (tenant_id, id, payment_id, account_id, provider_dispute_id, installment, amount_minor, status, reason, created_at)
          VALUES ($1, $2, $3, 'pac_x', $2, 1, 500, 'needs_response', 'FRAUD', now())`,
        [by.tenant.id, id, payment],
      );
      if (by === merchant) disputes.unshift(id);
    }
  });

  test("lists the disputes of all payments, newest first, page by page", async () => {
    const all = await get("/v1/disputes");
    expect(idsIn(all)).toEqual(disputes);
    expect(Object.keys(all.body)).toEqual(["data", "has_more", "next_cursor"]);
    expect(all.body.data[0]).toEqual({
      id: disputes[0],
      payment_id: expect.stringMatching(/^pay_/),
      installment: 1,
      amount: 500,
      currency: "BRL",
      status: "needs_response",
      reason: "FRAUD",
      created_at: expect.any(Number),
    });
    const first = await get("/v1/disputes?limit=1");
    expect(first.body).toMatchObject({ has_more: true, next_cursor: disputes[0] });
    expect(idsIn(await get(`/v1/disputes?starting_after=${disputes[0]}`))).toEqual(disputes.slice(1));
  });

  test("lists those of a payment", async () => {
    const { payment_id } = (await get("/v1/disputes")).body.data[0];
    expect(idsIn(await get(`/v1/disputes?payment_id=${payment_id}`))).toEqual(disputes.slice(0, 1));
    const refused = await get(`/v1/disputes?payment_id=${payment_id}`, other);
    expectError(refused, { status: 404, code: "payment_not_found" });
  });

  test.each(["needs_response", "order", "is_counted", "status"])(
    "%s is an unknown parameter",
    async (param) => {
      expectError(await get(`/v1/disputes?${param}=1`), { code: "unknown_parameter", param });
    },
  );

  test("another tenant's dispute is no cursor", async () => {
    const [theirs] = idsIn(await get("/v1/disputes", other));
    expectError(await get(`/v1/disputes?starting_after=${theirs}`), { param: "starting_after" });
  });
});
