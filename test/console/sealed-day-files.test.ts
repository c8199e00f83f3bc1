import { parse } from "csv-parse/sync";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { listedLines } from "../support/listed-lines.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { times } from "../support/scale.ts";
import { startService, type TestService } from "../support/service.ts";

const QUERY = "from=2026-03-02&to=2026-03-03";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-04T03:00:00Z")];
const COUNT = times(10_000, 1200);

let service: TestService;
let rows: DatabaseRows;
let merchant: Merchant;
let client: ConsoleClient;
beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
  merchant = await createMerchant(service);
  client = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
  await insertPayments(rows, merchant.tenant.id, randomPayments(COUNT, START, END));
}, 120_000);
afterAll(async () => {
  await rows.close();
  await service.close();
});

describe("a sealed day's files", () => {
  test("are always the sealed bytes, after any change; the changes are a file of their own", async () => {
    const day = "2026-03-02";
    const lines = await listedLines(merchant, day, day);
    const { seal } = await merchant.ledger.sealDay({ day }, merchant.as);
    const file = (name: string) => client.get(`/console/test/close/${day}/${name}`);
    const [json, csv] = [await file("sealed.jsonl"), await file("sealed.csv")];
    expect(json.body === lines).toBe(true);
    const sha256 = createHash("sha256").update(json.rawPayload).digest();
    expect(sha256.toString("hex")).toBe(seal?.rowsSha256);
    expect(json.headers).toMatchObject({
      "repr-digest": `sha-256=:${sha256.toString("base64")}:`,
      "paylink-row-count": String(seal?.paymentCount),
      "content-disposition": 'attachment; filename="sealed-test-2026-03-02.jsonl"',
    });
    expect(parse(csv.rawPayload, { bom: true })).toHaveLength(Number(seal?.paymentCount) + 1);

    const changed = await rows.count(
      `test.payment WHERE tenant_id = $1 AND status = 'pending' AND created_at < '2026-03-03T03:00:00Z'`,
      [merchant.tenant.id],
    );
    await rows.run(
      `UPDATE test.payment SET status = 'expired', updated_at = '2026-03-10T12:00:00Z'
        WHERE tenant_id = $1 AND status = 'pending' AND created_at < '2026-03-03T03:00:00Z'`,
      [merchant.tenant.id],
    );
    expect((await file("sealed.jsonl")).rawPayload.equals(json.rawPayload)).toBe(true);
    expect((await file("sealed.csv")).rawPayload.equals(csv.rawPayload)).toBe(true);
    const changes = (await file("changes.jsonl")).body.split("\n").slice(0, -1);
    expect(changes).toHaveLength(changed);
    expect(changed).toBeGreaterThan(0);
    for (const line of changes) {
      const { kind, sealed, current, payment_id: id } = JSON.parse(line) as Record<string, { id?: string }>;
      expect({ kind, sealed, current }).toMatchObject({
        kind: "changed",
        sealed: { id, status: "pending" },
        current: { id, status: "expired" },
      });
      expect(lines).toContain(JSON.stringify(sealed).slice(0, 60));
    }
    // With what is not as it was sealed nothing is compared: no file, rather than one that says something else.
    await rows.run("SET session_replication_role = replica");
    await rows.run("UPDATE test.day_seal SET sealed_by = 'usr_other' WHERE tenant_id = $1", [
      merchant.tenant.id,
    ]);
    expect((await file("changes.jsonl")).statusCode).toBe(503);
    await rows.run("UPDATE test.day_seal SET sealed_by = NULL WHERE tenant_id = $1", [merchant.tenant.id]);
    await rows.run("SET session_replication_role = origin");
    expect((await file("changes.jsonl")).statusCode).toBe(200);
    // A file of the period is of today, and its page names the days that have files of their own.
    const page = await client.get(`/console/test/payments/export?${QUERY}`);
    expect(page.body).toContain(`href="/console/test/close/${day}"`);
    expect((await client.get(`/console/test/payments/export.jsonl?from=${day}&to=${day}`)).body).toBe(
      await listedLines(merchant, day, day),
    );
  });
});
