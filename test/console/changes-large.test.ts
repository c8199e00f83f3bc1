import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { isInFull } from "../support/scale.ts";
import { startService, type TestService } from "../support/service.ts";

const COUNT = 20_000;
const CHANGED = 5000;
const KINDS = 1000;
const DAY = "2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];

describe.runIf(isInFull())(`a sealed day of ${COUNT} payments, of which ${CHANGED} changed`, () => {
  let service: TestService;
  let rows: DatabaseRows;
  let merchant: Merchant;
  let client: ConsoleClient;
  beforeAll(async () => {
    service = await startService();
    rows = await new DatabaseRows(service.databaseUrl).open();
    merchant = await createMerchant(service);
    client = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
    await insertPayments(rows, merchant.tenant.id, randomPayments(KINDS, START, END));
    await rows.run(
      `INSERT INTO test.payment (tenant_id, id, link_id, price_id, method, status, failure_code, is_single, reference,
          metadata, created_at, updated_at)
        SELECT tenant_id, 'pay_' || lpad(number::text, 26, '0'), link_id, price_id, method, status, failure_code, is_single,
          reference, metadata, $3::timestamptz + number % 86400 * interval '1 second', updated_at
        FROM (SELECT p.*, row_number() OVER () AS number FROM test.payment p, generate_series(2, $2::int)
          WHERE p.tenant_id = $1) AS copies`,
      [merchant.tenant.id, COUNT / KINDS, START],
    );
    await merchant.ledger.sealDay({ day: DAY }, merchant.as);
    await rows.run(
      `UPDATE test.payment SET reference = 'changed', updated_at = '2026-04-01T12:00:00Z' WHERE id IN
        (SELECT id FROM test.payment WHERE tenant_id = $1 ORDER BY md5(id) LIMIT $2)`,
      [merchant.tenant.id, CHANGED],
    );
    await rows.run("VACUUM ANALYZE test.payment");
  }, 300_000);
  afterAll(async () => {
    await rows.close();
    await service.close();
  });

  async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const result = await work();
    console.log(`${what}: ${Math.round(performance.now() - startedAt)} ms`);
    return result;
  }

  test("has a file of changes that is read once, and a number of changes that is fast", async () => {
    const { ledger, as } = merchant;
    await timed("verify", () => ledger.verifySeal({ day: DAY }, as));
    const file = await timed("file of changes, verification included", () =>
      client.get(`/console/test/close/${DAY}/changes.jsonl`),
    );
    expect(file.headers["paylink-row-count"]).toBe(String(CHANGED));
    expect(file.body.split("\n")).toHaveLength(CHANGED + 1);
    const { seals } = await timed("list of seals", () => ledger.listSeals({ from: DAY, to: DAY }, as));
    expect(seals.map(({ changedCount }) => changedCount)).toEqual([BigInt(CHANGED)]);
  }, 120_000);
});
