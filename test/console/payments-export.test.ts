import Fastify from "fastify";
import { parse } from "csv-parse/sync";
import { once } from "node:events";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExportKind } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { sendDownload } from "../../gateway/console/export/download.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { formulaCells, isFormula } from "../support/formula-cells.ts";
import { listedLines } from "../support/listed-lines.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { times } from "../support/scale.ts";
import { startService, type TestService } from "../support/service.ts";

const PERIOD = { from: "2026-03-02", to: "2026-03-03" };
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

type ApiRow = Record<string, unknown> & { metadata: object; fx?: Record<string, unknown> };

/** What a cell of a text must hold: the text, with an apostrophe in front of what could begin a cell as a formula. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  const parts = value.split(/([;\t\r\n])/);
  return parts
    .map((part, index) => {
      const isDangerous = isFormula(part) || (index === 0 && part === "" && parts[1] !== ";");
      return isDangerous && value !== "" ? `'${part}` : part;
    })
    .join("");
}

function timeOf(seconds: unknown): string {
  if (typeof seconds !== "number") return "";
  // No summer time since 2019.
  return `${new Date(seconds * 1000 - 3 * 3_600_000).toISOString().slice(0, 19)}-03:00`;
}

function decimalOf(minor: unknown): string {
  const text = String(minor).padStart(3, "0");
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** The cells of a row, computed a second time. */
function expectedCells(row: ApiRow): Record<string, string> {
  const amounts = ["amount", "gross_amount", "fee_amount", "net_amount"];
  const texts = ["id", "link_id", "status", "reference", "currency", "gross_currency", "fee_currency"];
  const others = ["net_currency", "fee_handling", "payment_method", "installments", "failure_code"];
  return {
    ...Object.fromEntries([...texts, ...others].map((name) => [name, cellOf(row[name])])),
    ...Object.fromEntries(amounts.map((name) => [`${name}_minor`, String(row[name])])),
    ...Object.fromEntries(amounts.map((name) => [name, decimalOf(row[name])])),
    created_at_unix: cellOf(row["created_at"]),
    created_at_america_sao_paulo: timeOf(row["created_at"]),
    updated_at_unix: cellOf(row["updated_at"]),
    updated_at_america_sao_paulo: timeOf(row["updated_at"]),
    refunded_amount_minor: cellOf(row["refunded_amount"]),
    refunded_amount: row["refunded_amount"] === undefined ? "" : decimalOf(row["refunded_amount"]),
    end_to_end_id: cellOf(row["end_to_end_id"]),
    fx_rate: row.fx ? (row.fx["rate"] as number).toFixed(6) : "",
    ...Object.fromEntries(
      ["base", "quote", "rate_history_id"].map((name) => [`fx_${name}`, cellOf(row.fx?.[name])]),
    ),
    fx_locked_at_unix: cellOf(row.fx?.["locked_at"]),
    fx_valid_until_unix: cellOf(row.fx?.["valid_until"]),
    metadata_json: JSON.stringify(row.metadata).replaceAll(";", "\\u003b"),
  };
}

describe("an export", () => {
  test("is the API's rows: JSON Lines byte for byte, CSV field by field, formulas made harmless", async () => {
    const lines = await listedLines(merchant, PERIOD.from, PERIOD.to);
    const json = await client.get(`/console/test/payments/export.jsonl?${QUERY}`);
    expect(json.body === lines).toBe(true);
    expect(json.headers).toMatchObject({
      "paylink-row-count": String(COUNT),
      "content-disposition": 'attachment; filename="payments-test-2026-03-02-to-2026-03-03.jsonl"',
      "cache-control": "no-store",
    });

    const csv = await client.get(`/console/test/payments/export.csv?${QUERY}`);
    expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
    const records: Record<string, string>[] = parse(csv.rawPayload, { bom: true, columns: true });
    const apiRows = lines
      .slice(0, -1)
      .split("\n")
      .map((line) => JSON.parse(line) as ApiRow);
    const expected = apiRows.map(expectedCells);
    expect(records).toHaveLength(COUNT);
    for (const [index, record] of records.entries()) expect(record).toEqual(expected[index]);
    expect(records.some(({ reference = "" }) => reference.startsWith("'="))).toBe(true);
    for (const [index, { metadata_json: text = "" }] of records.entries()) {
      expect(JSON.parse(text)).toEqual(apiRows[index]?.metadata);
    }
    expect(formulaCells(csv.rawPayload)).toEqual([]);
  }, 120_000);

  test("is of the filter, and its page shows the number of rows", async () => {
    const query = `${QUERY}&status=succeeded&method=card&q=a`;
    const json = await client.get(`/console/test/payments/export.jsonl?${query}`);
    const found = json.body.split("\n").slice(0, -1);
    for (const line of found) {
      expect(JSON.parse(line)).toMatchObject({ status: "succeeded", payment_method: "card" });
    }
    const page = await client.get(`/console/test/payments/export?${query}`);
    expect(page.body).toContain(`data-download="${found.length}"`);
    expect(found.length).toBeGreaterThan(0);
  });

  test("that fails midway breaks off, and never ends as if it were whole", async () => {
    const broken = await createMerchant(service);
    const user = await createUser(service, broken.tenant.id, "owner");
    const [oldest, ...others] = randomPayments(250, START, END).toSorted(
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime(),
    );
    if (!oldest) throw new Error("no payment");
    // An amount that JSON cannot hold exactly is refused by the API's writer.
    const price = { ...oldest.price, payerTotalMinor: 2n ** 60n };
    await insertPayments(rows, broken.tenant.id, [{ ...oldest, price }, ...others]);
    await service.gateway.listen({ host: "127.0.0.1", port: 0 });
    const { port } = service.gateway.server.address() as AddressInfo;
    for (const format of ["jsonl", "csv"]) {
      const headers = { cookie: `paylink_session=${user.sessionToken}` };
      const answer = await fetch(`http://127.0.0.1:${port}/console/test/payments/export.${format}?${QUERY}`, {
        headers,
      });
      expect(answer.status).toBe(200);
      await expect(answer.text()).rejects.toThrow("terminated");
    }
  });

  test("reads no faster than the client, and stops when the client leaves", async () => {
    const state = { pages: 0, isOver: false };
    async function* endless() {
      try {
        for (;;) {
          state.pages++;
          yield Array.from({ length: 100 }, (_, index) => `{"row":${index},"pad":"${"x".repeat(1000)}"}`);
        }
      } finally {
        state.isOver = true;
      }
    }
    const app = Fastify();
    app.get("/file", (request, reply) =>
      sendDownload({ request, reply, core: { auditLog: { recordExport: async () => ({}) } } } as never, {
        name: "f",
        format: "jsonl",
        lines: endless(),
        rowCount: 1n,
        holds: { kind: ExportKind.PAYMENTS, from: "", to: "" },
      }),
    );
    await app.listen({ host: "127.0.0.1", port: 0 });
    const request = get({
      host: "127.0.0.1",
      port: (app.server.address() as AddressInfo).port,
      path: "/file",
    });
    const [answer] = (await once(request, "response")) as [import("node:http").IncomingMessage];
    await once(answer, "readable");
    // The client stops reading: the buffers of the sockets fill up, and then no page is read any more.
    let before = -1;
    for (let still = 0; still < 5;) {
      still = state.pages === before ? still + 1 : 0;
      before = state.pages;
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
    expect(state).toEqual({ pages: before, isOver: false });
    expect(before).toBeLessThan(500);
    request.destroy();
    await expect.poll(() => state.isOver).toBe(true);
    await app.close();
  });
});
