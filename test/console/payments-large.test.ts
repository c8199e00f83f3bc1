import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createPerson, type Person } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { isInFull } from "../support/scale.ts";
import { startService, type TestService } from "../support/service.ts";

const COUNT = 100_000;
const KINDS = 1000;
const DAY = "2026-03-02";
const QUERY = `from=${DAY}&to=${DAY}`;
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
const MIB = 1024 * 1024;
const GROWTH_MIB_MAX = 64;

describe.runIf(isInFull)("a day of 100,000 payments", () => {
  let service: TestService;
  let rows: DatabaseRows;
  let merchant: Merchant;
  let person: Person;
  let client: ConsoleClient;
  beforeAll(async () => {
    service = await startService();
    rows = await new DatabaseRows(service.databaseUrl).open();
    merchant = await createMerchant(service);
    person = await createPerson(service, merchant.tenant.id, "finance");
    client = new ConsoleClient(service, person);
    // Random ones are dear to make: each is there many times, under other ids, at other seconds and at the same price.
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
    await rows.run("VACUUM ANALYZE test.payment");
    await service.gateway.listen({ host: "127.0.0.1", port: 0 });
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

  /** Takes the file as it comes and keeps none of it; how much memory grew meanwhile. */
  async function streamed(path: string): Promise<{ lineCount: number; bytes: number; growthMib: number }> {
    const { port } = service.gateway.server.address() as AddressInfo;
    const headers = { cookie: `paylink_session=${person.sessionToken}` };
    globalThis.gc?.();
    const before = process.memoryUsage();
    const request = get({ host: "127.0.0.1", port, path: `/console/test${path}`, headers });
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    let [lineCount, bytes, peak] = [0, 0, 0];
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) lineCount++;
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    const growthMib = Math.round((peak - before.rss) / MIB);
    console.log(
      `${path}: ${lineCount} lines, ${Math.round(bytes / MIB)} MiB, memory grew by ${growthMib} MiB`,
    );
    return { lineCount, bytes, growthMib };
  }

  test("is listed, searched, exported and sealed, with memory that stays flat", async () => {
    const list = await timed("list", () => client.get(`/console/test/payments?${QUERY}`));
    expect(list.body).toContain("100.000");
    const deep = (
      await merchant.ledger.searchPayments({ filter: { from: DAY, to: DAY }, limit: 100 }, merchant.as)
    ).nextCursor;
    const next = await timed("next page", () => client.get(`/console/test/payments?${QUERY}&after=${deep}`));
    expect(next.statusCode).toBe(200);
    const found = await timed("search", () => client.get(`/console/test/payments?${QUERY}&q=%3Cscript%3E`));
    expect(found.body).toContain("&lt;script&gt;");

    // Once to warm up: what is compiled and cached then does not count.
    await streamed(`/payments/export.jsonl?${QUERY}&status=failed`);
    const json = await timed("export JSON Lines", () => streamed(`/payments/export.jsonl?${QUERY}`));
    expect(json.lineCount).toBe(COUNT);
    const csv = await timed("export CSV", () => streamed(`/payments/export.csv?${QUERY}`));
    expect(csv.lineCount).toBeGreaterThan(COUNT);

    const beforeSeal = process.memoryUsage().rss;
    const { seal } = await timed("seal", () => merchant.ledger.sealDay({ day: DAY }, merchant.as));
    expect(seal?.paymentCount).toBe(BigInt(COUNT));
    expect((process.memoryUsage().rss - beforeSeal) / MIB).toBeLessThan(GROWTH_MIB_MAX);
    const verified = await timed("verify", () => merchant.ledger.verifySeal({ day: DAY }, merchant.as));
    expect(verified).toMatchObject({ isIntact: true, deltaCount: 0n });
    await streamed(`/close/${DAY}/sealed.jsonl`);
    const sealed = await timed("export sealed", () => streamed(`/close/${DAY}/sealed.jsonl`));
    expect(sealed).toMatchObject({ lineCount: COUNT, bytes: json.bytes });
    for (const { growthMib } of [json, csv, sealed]) expect(growthMib).toBeLessThan(GROWTH_MIB_MAX);
    await timed("month", () => client.get("/console/test/close?month=2026-03"));
  }, 300_000);
});
