import { randomUUID } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { Api, type Answer } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { expectReplaysOfOne, times } from "../support/replays.ts";
import { secondService, startService, type TestTenant } from "../support/service.ts";

const LINKS = "/v1/payment_links";
const LINK = { amount: 15_990, currency: "BRL", reference: "order-1" };

const service = await forFile(startService());
// Few of its commits go together.
const second = await forFile(secondService(service, { commitBatch: 3 }));
const ledger = createClient(LedgerService, service.core.transport);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
let tenant: TestTenant;
let api: Api;
let other: Api;
beforeEach(async () => {
  tenant = await service.createTenant();
  api = new Api(service, tenant.testKey);
  other = new Api(second, tenant.testKey);
});

const rowsOf = (table: string): Promise<number> =>
  rows.count(`test.${table} WHERE tenant_id = $1`, [tenant.id]);

const waiting = (): Promise<number> =>
  rows.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");

/** 64 at once, every other one at the second process. */
const atBoth = (ask: (api: Api, index: number) => Promise<Answer>): Promise<Answer[]> =>
  times(64, (index) => ask(index % 2 === 0 ? api : other, index));

describe("one key at two processes at once", () => {
  test("two bodies make one link; the other body is answered 409 every time", async () => {
    const idempotencyKey = randomUUID();
    const answers = await atBoth((each, index) =>
      each.post(LINKS, { ...LINK, amount: 15_990 + (index % 4 < 2 ? 0 : 1) }, { idempotencyKey }),
    );
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(32);
    for (const answer of refused) expectError(answer, { status: 409, code: "idempotency_key_reuse" });
    expectReplaysOfOne(
      answers.filter(({ status }) => status !== 409),
      201,
    );
    expect(await rowsOf("payment_link")).toBe(1);
  });

  test("64 that are refused get one refusal", async () => {
    const idempotencyKey = randomUUID();
    const answers = await atBoth((each) => each.post(LINKS, { ...LINK, amount: 1 }, { idempotencyKey }));
    expectError(answers[0] as Answer, { code: "merchant_net_not_positive" });
    expectReplaysOfOne(answers, 400);
  });

  test("64 accepts make one link, and the quote is consumed once", async () => {
    const quote = await api.post("/v1/quotes", { amount: 9000, currency: "BRL", payment_method: "pix" });
    const url = `/v1/quotes/${quote.body.id}/accept`;
    const answers = await atBoth((each) => each.post(url, { name: "Shoes" }, { idempotencyKey: "accept" }));
    expectReplaysOfOne(answers, 201);
    expect([await rowsOf("payment_link"), await rowsOf("payment_intent")]).toEqual([1, 1]);
  });

  test("64 simulated payments of a campaign make one payment", async () => {
    const link = await api.post(LINKS, { ...LINK, campaign: true });
    const url = `/v1/payment_links/${link.body.id}/simulate_payment`;
    const answers = await atBoth((each) =>
      each.post(url, { outcome: "succeeded" }, { idempotencyKey: "pay" }),
    );
    expectReplaysOfOne(answers, 200);
    expect([await rowsOf("payment"), await rowsOf("price")]).toEqual([1, 1]);
  });

  test("64 with a key that was released a moment ago make one new link", async () => {
    const first = await api.post(LINKS, LINK, { idempotencyKey: "day" });
    service.clock.advance(24 * 3600);
    const answers = await atBoth((each) => each.post(LINKS, LINK, { idempotencyKey: "day" }));
    expectReplaysOfOne(answers, 201);
    expect(answers[0]?.body.id).not.toBe(first.body.id);
    expect(await rowsOf("payment_link")).toBe(2);
  });
});

describe("different keys at two processes at once", () => {
  test("32 accepts of one quote make one 201 and 31 quote_consumed", async () => {
    const quote = await api.post("/v1/quotes", { amount: 9000, currency: "BRL", payment_method: "pix" });
    const answers = await times(32, (index) =>
      (index % 2 === 0 ? api : other).post(`/v1/quotes/${quote.body.id}/accept`, { name: "Shoes" }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expectError(answer, { code: "quote_consumed" });
    expect([await rowsOf("payment_link"), await rowsOf("payment_intent")]).toEqual([1, 1]);
  });

  test("32 simulated successes on a single link make one succeeded payment", async () => {
    const link = await api.post(LINKS, LINK);
    const answers = await times(32, (index) =>
      (index % 2 === 0 ? api : other).post(`/v1/payment_links/${link.body.id}/simulate_payment`, {
        outcome: "succeeded",
      }),
    );
    const paid = answers.filter(({ status }) => status === 200);
    expect(paid.map(({ body }) => body.status)).toEqual(["succeeded"]);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectError(answer);
    }
    expect([await rowsOf("payment"), await rowsOf("price")]).toEqual([1, 1]);
  });
});

describe("64 accepts at two processes at once, a tenth of them of quotes that another key accepts", () => {
  test("make one link of each quote, with one answer for each key, and every link is paid once", async () => {
    const quote = { amount: 9000, currency: "BRL", payment_method: "pix" };
    const quotes = await times(58, async () => String((await api.post("/v1/quotes", quote)).body.id));
    const accept = (each: Api, index: number): Promise<Answer> =>
      each.post(
        `/v1/quotes/${quotes[index % 58]}/accept`,
        { name: "Shoes" },
        { idempotencyKey: `key-${index}` },
      );
    const answers = await atBoth(accept);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(6);
    for (const answer of refused) expectError(answer, { code: "quote_consumed" });
    const again = await times(64, (index) => accept(index % 2 === 0 ? other : api, index));
    expect(again.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));
    expect([await rowsOf("payment_link"), await rowsOf("payment_intent")]).toEqual([58, 58]);

    const links = answers.filter(({ status }) => status === 201).map(({ body }) => String(body.id));
    const paid = await times(64, (index) =>
      (index % 2 === 0 ? api : other).post(`/v1/payment_links/${links[index % 58]}/simulate_payment`, {
        outcome: "succeeded",
      }),
    );
    expect(paid.filter(({ status }) => status === 200)).toHaveLength(58);
    expect([await rowsOf("payment"), await rowsOf("settlement")]).toEqual([58, 58]);
    const { problems } = await ledger.checkLedger({ mode: Mode.TEST }, service.internal);
    expect(problems).toEqual([]);
  });
});

describe("a request that is stuck", () => {
  test("64 duplicates of it hold one connection of each process, and other keys proceed", async () => {
    const idempotencyKey = randomUUID();
    const holder = await new DatabaseRows(service.databaseUrl).open();
    await holder.run("BEGIN");
    await holder.run(
      `INSERT INTO test.idempotency (tenant_id, key, fingerprint, request_id, response, created_at, expires_at)
        VALUES ($1, $2, '', 'req_held', '', now(), now() + interval '1 day')`,
      [tenant.id, idempotencyKey],
    );
    let settled = 0;
    const stuck = times(64, async (index) => {
      const answer = await (index % 2 === 0 ? api : other).post(LINKS, LINK, { idempotencyKey });
      settled++;
      return answer;
    });
    await expect.poll(waiting).toBe(2);
    const free = await times(16, (index) => (index % 2 === 0 ? api : other).post(LINKS, LINK));
    expect(free.map(({ status }) => status)).toEqual(free.map(() => 201));
    expect({ settled, waiting: await waiting() }).toEqual({ settled: 0, waiting: 2 });
    await holder.run("ROLLBACK");
    await holder.close();
    expectReplaysOfOne(await stuck, 201);
    expect(await rowsOf("payment_link")).toBe(17);
  });
});

describe("one of many wins", () => {
  test("32 accepts of one quote with different keys make one 201 and 31 quote_consumed", async () => {
    const quote = await api.post("/v1/quotes", { amount: 9000, currency: "BRL", payment_method: "pix" });
    const { id } = quote.body;
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => api.post(`/v1/quotes/${id}/accept`, { name: "Shoes" })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(31);
    for (const answer of refused) expectError(answer, { code: "quote_consumed" });
    expect(await rows.count("test.payment_intent WHERE quote_id = $1", [id])).toBe(1);
  });

  test("32 simulated successes on a single link make one succeeded payment", async () => {
    const link = await api.post(LINKS, LINK);
    const url = `/v1/payment_links/${link.body.id}/simulate_payment`;
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => api.post(url, { outcome: "succeeded" }, { idempotencyKey: null })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(31);
    for (const answer of refused) expectError(answer);
    const payments = await rows.read("SELECT status FROM test.payment WHERE link_id = $1", [link.body.id]);
    expect(payments).toEqual([{ status: "succeeded" }]);
  });
});
