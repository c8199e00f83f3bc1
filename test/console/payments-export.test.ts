import Fastify from "fastify";
import { parse } from "csv-parse/sync";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textCell } from "../../gateway/console/export/csv-cells.ts";
import { csvHeader, csvLines } from "../../gateway/console/export/csv.ts";
import { ExportKind } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { sendDownload } from "../../gateway/console/export/download.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { FORMULA_TEXTS, formulaCells, isFormula } from "../support/formula-cells.ts";
import { listedLines } from "../support/listed-lines.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { times } from "../support/scale.ts";
import { startService, type TestService } from "../support/service.ts";

const PERIOD = { from: "2026-03-02", to: "2026-03-03" };
const QUERY = "from=2026-03-02&to=2026-03-03";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-04T03:00:00Z")];
const COUNT = times(10_000, 1200);

const ROW =
  '{"id":"pay_1","link_id":null,"status":"failed","reference":"=1+1;\\"=2\\nb;c","created_at":1772463600,"updated_at":null,"amount":7,"currency":"BRL","gross_amount":7,"gross_currency":"BRL","fee_amount":198,"fee_currency":"USD","net_amount":9007199254740991,"net_currency":"USD","fee_handling":"absorb","fx":{"rate":5.500000,"base":"USD","quote":"BRL","locked_at":1772463600,"valid_until":1772464500,"rate_history_id":12},"payment_method":"card","installments":12,"failure_code":"card_declined","metadata":{"a \\"b\\"":"c,d\\n;=e\\tf"}}';

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

test.each(FORMULA_TEXTS)("%j is a formula's beginning in no cell, wherever lines are split", (text) => {
  const row = JSON.parse(ROW) as ApiRow;
  for (const reference of [text, `x${text}`]) {
    const file = `${csvHeader()}${csvLines([JSON.stringify({ ...row, reference, metadata: { [text]: [reference] } }), ROW])}`;
    expect(formulaCells(file)).toEqual([]);
    const [record]: Record<string, string>[] = parse(file, { bom: true, columns: true });
    expect(record?.["reference"]?.replaceAll("'", "")).toBe(reference.replaceAll("'", ""));
    expect(JSON.parse(record?.["metadata_json"] ?? "")).toEqual({ [text]: [reference] });
  }
});

test("every character is made harmless at the beginning of a text if it begins a formula, and else left as it is", () => {
  for (let code = 0; code <= 0xffff; code++) {
    const text = `${String.fromCharCode(code)}1`;
    if (textCell(text) !== cellOf(text)) expect([code, textCell(text)]).toEqual([code, cellOf(text)]);
  }
});

test("format 1 of CSV: a row as it must always be", () => {
  expect(`${csvHeader()}${csvLines([ROW])}`).toBe(
    "\uFEFFid,link_id,status,reference,created_at_unix,created_at_america_sao_paulo,updated_at_unix,updated_at_america_sao_paulo,amount_minor,amount,currency,gross_amount_minor,gross_amount,gross_currency,fee_amount_minor,fee_amount,fee_currency,net_amount_minor,net_amount,net_currency,fee_handling,fx_rate,fx_base,fx_quote,fx_locked_at_unix,fx_valid_until_unix,fx_rate_history_id,payment_method,installments,failure_code,metadata_json\r\n" +
      'pay_1,,failed,"\'=1+1;\'""=2\nb;c",1772463600,2026-03-02T12:00:00-03:00,,,7,0.07,BRL,7,0.07,BRL,198,1.98,USD,9007199254740991,90071992547409.91,USD,absorb,5.500000,USD,BRL,1772463600,1772464500,12,card,12,card_declined,' +
      '"{""a \\""b\\"""":""c,d\\n\\u003b=e\\tf""}"\r\n',
  );
});
