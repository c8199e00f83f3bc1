import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { textCell } from "../../gateway/console/export/csv-cells.ts";
import { csvHeader, csvLines, NEWEST_FORMAT } from "../../gateway/console/export/csv.ts";
import { FORMAT_VERSION } from "../../src/closes/seal-format.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { FORMULA_TEXTS, formulaCells, isFormula } from "../support/formula-cells.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const ROW =
  '{"id":"pay_1","link_id":null,"status":"failed","reference":"=1+1;\\"=2\\nb;c","created_at":1772463600,"updated_at":null,"amount":7,"currency":"BRL","gross_amount":7,"gross_currency":"BRL","fee_amount":198,"fee_currency":"USD","net_amount":9007199254740991,"net_currency":"USD","fee_handling":"absorb","fx":{"rate":5.500000,"base":"USD","quote":"BRL","locked_at":1772463600,"valid_until":1772464500,"rate_history_id":12},"payment_method":"card","installments":12,"failure_code":"card_declined","metadata":{"a \\"b\\"":"c,d\\n;=e\\tf"}}';

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

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

test.each(FORMULA_TEXTS)("%j is a formula's beginning in no cell, wherever lines are split", (text) => {
  const row = JSON.parse(ROW) as ApiRow;
  for (const reference of [text, `x${text}`]) {
    const file = `${csvHeader(2)}${csvLines(2, [JSON.stringify({ ...row, reference, metadata: { [text]: [reference] } }), ROW])}`;
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

const REFUNDED_ROW = ROW.replace(',"metadata":', ',"refunded_amount":5,"metadata":');
const FIRST_HEADER =
  "\uFEFFid,link_id,status,reference,created_at_unix,created_at_america_sao_paulo,updated_at_unix,updated_at_america_sao_paulo,amount_minor,amount,currency,gross_amount_minor,gross_amount,gross_currency,fee_amount_minor,fee_amount,fee_currency,net_amount_minor,net_amount,net_currency,fee_handling,fx_rate,fx_base,fx_quote,fx_locked_at_unix,fx_valid_until_unix,fx_rate_history_id,payment_method,installments,failure_code,metadata_json";
const FIRST_CELLS =
  'pay_1,,failed,"\'=1+1;\'""=2\nb;c",1772463600,2026-03-02T12:00:00-03:00,,,7,0.07,BRL,7,0.07,BRL,198,1.98,USD,9007199254740991,90071992547409.91,USD,absorb,5.500000,USD,BRL,1772463600,1772464500,12,card,12,card_declined,' +
  '"{""a \\""b\\"""":""c,d\\n\\u003b=e\\tf""}"';

test.each([ROW, REFUNDED_ROW])("format 1 of CSV: a row as it must always be", (row) => {
  expect(`${csvHeader(1)}${csvLines(1, [row])}`).toBe(`${FIRST_HEADER}\r\n${FIRST_CELLS}\r\n`);
});

test("format 2 of CSV: what went back of a payment comes last", () => {
  expect(`${csvHeader(2)}${csvLines(2, [ROW, REFUNDED_ROW])}`).toBe(
    `${FIRST_HEADER},refunded_amount_minor,refunded_amount\r\n${FIRST_CELLS},,\r\n${FIRST_CELLS},5,0.05\r\n`,
  );
});

test("format 3 of CSV: the end-to-end id comes last", () => {
  const row = REFUNDED_ROW.replace(',"metadata":', ',"end_to_end_id":"E1","metadata":');
  expect(`${csvHeader(3)}${csvLines(3, [ROW, row])}`).toBe(
    `${FIRST_HEADER},refunded_amount_minor,refunded_amount,end_to_end_id\r\n${FIRST_CELLS},,,\r\n${FIRST_CELLS},5,0.05,E1\r\n`,
  );
});

test("a format of CSV that this release does not know is no file", () => {
  expect(() => csvHeader(4)).toThrow("no format 4 of CSV files");
});

test("the newest format of CSV is that of new seals", () => {
  expect(NEWEST_FORMAT).toBe(FORMAT_VERSION);
});

test("a day that was sealed in a former format keeps the bytes of its CSV, and a new one has the new columns", async () => {
  const [first, second, third] = ["2026-03-05", "2026-03-06", "2026-03-07"];
  const of = (day: string) => randomPayments(3, new Date(`${day}T12:00:00Z`), new Date(`${day}T13:00:00Z`));
  const keeper = await createMerchant(service);
  const user = new ConsoleClient(service, await createUser(service, keeper.tenant.id, "finance"));
  for (const day of [first, second, third]) {
    await insertPayments(rows, keeper.tenant.id, of(day));
    await rows.run(
      `UPDATE test.payment SET refunded_minor = 1, refund_reserved_minor = 1, end_to_end_id = 'E1'
        WHERE tenant_id = $1 AND status = 'succeeded'`,
      [keeper.tenant.id],
    );
    await keeper.ledger.sealDay({ day }, keeper.as);
  }
  await rows.run("SET session_replication_role = replica");
  for (const [day, version] of [
    [first, 1],
    [second, 2],
  ] as const) {
    await rows.run("UPDATE test.day_seal SET format_version = $3 WHERE tenant_id = $1 AND day = $2", [
      keeper.tenant.id,
      day,
      version,
    ]);
  }
  await rows.run("SET session_replication_role = origin");
  for (const [day, version] of [
    [first, 1],
    [second, 2],
    [third, 3],
  ] as const) {
    const sealed = (await user.get(`/console/test/close/${day}/sealed.jsonl`)).body.split("\n").slice(0, -1);
    const { body } = await user.get(`/console/test/close/${day}/sealed.csv`);
    expect(body).toBe(`${csvHeader(version)}${csvLines(version, sealed)}`);
    expect(body.includes("refunded_amount")).toBe(version > 1);
    expect(body.includes("end_to_end_id")).toBe(version > 2);
  }
});
