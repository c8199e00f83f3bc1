import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { growthWhile } from "../support/held-memory.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { isInFull } from "../support/scale.ts";
import { startService, type TestService } from "../support/service.ts";

const COUNT = 100_000;
const KINDS = 1000;
const DAY = "2026-03-02";
const QUERY = `from=${DAY}&to=${DAY}`;
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
// A portion of rows on each side, whatever their number: all of them are more than 50 MiB as text alone.
const HELD_MIB_MAX = 24;

describe.runIf(isInFull())("a day of 100,000 payments", () => {
  let service: TestService;
  let rows: DatabaseRows;
  let merchant: Merchant;
  let user: TestUser;
  let client: ConsoleClient;
  beforeAll(async () => {
    service = await startService();
    rows = await new DatabaseRows(service.databaseUrl).open();
    merchant = await createMerchant(service);
    user = await createUser(service, merchant.tenant.id, "finance");
    client = new ConsoleClient(service, user);
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

  /** Does it, and prints how long it took and how much memory was held meanwhile. */
  async function measured<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const { result, heldMib, sampleCount } = await growthWhile(work);
    const ms = Math.round(performance.now() - startedAt);
    console.log(`${what}: ${ms} ms, held at most ${heldMib.toFixed(1)} MiB more (${sampleCount} samples)`);
    expect({ what, isFlat: heldMib < HELD_MIB_MAX }).toEqual({ what, isFlat: true });
    return result;
  }

  /** Takes the file as it comes and keeps none of it. */
  async function streamed(path: string): Promise<{ lineCount: number; bytes: number }> {
    const { port } = service.gateway.server.address() as AddressInfo;
    const headers = { cookie: `paylink_session=${user.sessionToken}` };
    const request = get({ host: "127.0.0.1", port, path: `/console/test${path}`, headers });
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    let [lineCount, bytes] = [0, 0];
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lineCount++;
    }
    return { lineCount, bytes };
  }

  test("is listed, searched, exported, sealed and verified, with memory that stays flat", async () => {
    const list = await measured("list", () => client.get(`/console/test/payments?${QUERY}`));
    expect(list.body).toContain("100.000");
    const deep = (
      await merchant.ledger.searchPayments({ filter: { from: DAY, to: DAY }, limit: 100 }, merchant.as)
    ).nextCursor;
    const next = await measured("next page", () =>
      client.get(`/console/test/payments?${QUERY}&after=${deep}`),
    );
    expect(next.statusCode).toBe(200);
    const found = await measured("search", () =>
      client.get(`/console/test/payments?${QUERY}&q=%3Cscript%3E`),
    );
    expect(found.body).toContain("&lt;script&gt;");

    // Once to warm up: what is compiled and cached then does not count.
    await streamed(`/payments/export.jsonl?${QUERY}&status=failed`);
    const json = await measured("export JSON Lines", () => streamed(`/payments/export.jsonl?${QUERY}`));
    expect(json.lineCount).toBe(COUNT);
    const csv = await measured("export CSV", () => streamed(`/payments/export.csv?${QUERY}`));
    expect(csv.lineCount).toBeGreaterThan(COUNT);

    const { seal } = await measured("seal", () => merchant.ledger.sealDay({ day: DAY }, merchant.as));
    expect(seal?.paymentCount).toBe(BigInt(COUNT));
    const verified = await measured("verify", () => merchant.ledger.verifySeal({ day: DAY }, merchant.as));
    expect(verified).toMatchObject({ isIntact: true, deltaCount: 0n });
    const sealed = await measured("export sealed JSON Lines", () => streamed(`/close/${DAY}/sealed.jsonl`));
    expect(sealed).toMatchObject({ lineCount: COUNT, bytes: json.bytes });
    await measured("export sealed CSV", () => streamed(`/close/${DAY}/sealed.csv`));
    await measured("month", () => client.get("/console/test/close?month=2026-03"));
    const day = await measured("day", () => client.get(`/console/test/close/${DAY}`));
    expect(day.body).toContain(seal?.rowsSha256);
  }, 600_000);
});
