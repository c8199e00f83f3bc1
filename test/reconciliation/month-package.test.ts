import { createHash } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { parse } from "csv-parse/sync";
import readExcelFile from "read-excel-file/node";
import { expect, test } from "vitest";
import { Leg } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { asUser, auditEntries, USER_EMAIL } from "../support/audit.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { runCommand } from "../support/process.ts";
import { startService } from "../support/service.ts";
import { zipFiles } from "../support/zip-files.ts";
import { Books, ofx, type BankRow } from "./books.ts";

type Row = Readonly<Record<string, string>>;

const MONTH = "2026-03";
const REASON = '=HYPERLINK("http://127.0.0.1")';
const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const folder = await makeDataFolder();
await forFile(Promise.resolve({ close: folder.remove }));
service.clock.set(new Date("2026-03-02T15:00:00Z"));

/** A month with a refund, a decision, an open difference, and a day that is sealed. */
async function openMonth() {
  const books = await Books.of(service);
  const bankAccountId = await books.sandboxBank();
  const days = [books.nextDay()];
  await books.pay(10_000);
  const paid = await books.pay(20_000);
  days.push(books.nextDay());
  await books.merchant.api.post(`/v1/payments/${paid}/refunds`, { amount: 2_500 });
  await books.pay(30_000);
  books.nextDay();
  books.nextDay();
  await books.work();
  const lines = await books.statementLines();
  const file = ofx([
    ...lines.map(({ day, amount, reference }, index): BankRow => [
      day,
      // The bank has a centavo less of the last payment.
      index === lines.length - 1 ? amount - 1n : amount,
      `PIX ${reference}`,
      `fit-${index}`,
    ]),
    [books.today(), -137n, "=1+1 TARIFA", "fit-fee"],
  ]);
  await books.import(bankAccountId, file, "=extrato.ofx");
  await books.work();
  const fee = (await books.bankLines(bankAccountId)).find(({ amount }) => amount === -137n);
  const asked = { leg: Leg.BANK, lineKeys: [fee?.key ?? ""], reason: REASON };
  const { decision } = await books.client.decide(asked, asUser(books.as));
  await books.merchant.ledger.sealDay({ day: days[0] ?? "" }, books.as);
  return { books, bankAccountId, days, file, decision };
}

const { books, bankAccountId, days, file, decision } = await openMonth();
const finance = new ConsoleClient(service, await createUser(service, books.merchant.tenant.id, "finance"));
const own = ["--tenant", books.merchant.tenant.id, "--mode", "test"];

async function paylink(args: readonly string[], token = CORE_TOKEN) {
  const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN: token };
  const { code, stdout, stderr } = await runCommand(["reconcile", "package", ...args, "--json"], env);
  return { code, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}

async function bySession(by: ConsoleClient, language: string, month = MONTH) {
  return await by.get(`/console/test/reconciliation/package.zip?month=${month}`, {
    "accept-language": language,
  });
}

function rowsOf(files: ReadonlyMap<string, Buffer>, name: string): Row[] {
  return parse(files.get(name) ?? "", { bom: true, columns: true });
}

/** Centavos of a cell. */
function minorOf(text = ""): number {
  expect(text).toMatch(/^(-?\d+\.\d\d)?$/);
  return Math.round(Number(text) * 100);
}

function sumOf(rows: readonly Row[], day: string, column = "amount"): number {
  return rows.reduce((sum, row) => (row["day"] === day ? sum + minorOf(row[column]) : sum), 0);
}

/** What a side of an account moved on a day, by month.csv. */
function movedBy(row: Row | undefined, side: string): number {
  const [opening, closing, ...moved] = ["opening", "closing", "in", "fees", "returns", "out"].map((column) =>
    minorOf(row?.[`${side}_${column}`]),
  );
  const sum = moved.reduce((all, amount) => all + amount, 0);
  expect((opening ?? 0) + sum).toBe(closing);
  return sum;
}

test("paylink reconcile package writes a month whose lines add up to the columns of each day", async () => {
  const to = join(folder.path, "month.zip");
  const { code, stderr, json } = await paylink([MONTH, ...own, "--to", to]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const zip = await readFile(to);
  expect(json).toEqual({ file: to, sha256: createHash("sha256").update(zip).digest("hex") });
  const files = zipFiles(zip);
  const names = [...files.keys()];
  expect(names.toSorted()).toEqual(
    [
      "README.txt",
      "SHA256SUMS",
      `bank/${bankAccountId}.csv`,
      "books/sandbox.csv",
      "decisions.csv",
      "differences.csv",
      "imports.csv",
      "month.csv",
      "month.xlsx",
      `seals/${days[0]}.json`,
      "statement/sandbox.csv",
    ].toSorted(),
  );
  const sums = names
    .filter((name) => name !== "SHA256SUMS")
    .map(
      (name) =>
        `${createHash("sha256")
          .update(files.get(name) ?? "")
          .digest("hex")}  ${name}\n`,
    );
  expect(files.get("SHA256SUMS")?.toString()).toBe(sums.join(""));

  const month = rowsOf(files, "month.csv");
  const [ours, theirs, bank] = [
    rowsOf(files, "books/sandbox.csv"),
    rowsOf(files, "statement/sandbox.csv"),
    rowsOf(files, `bank/${bankAccountId}.csv`),
  ];
  expect([ours.length, theirs.length, bank.length]).toEqual([4, 4, 5]);
  for (const row of month) {
    const { day = "" } = row;
    expect({ day, ours: sumOf(ours, day), theirs: sumOf(theirs, day), bank: sumOf(bank, day) }).toEqual({
      day,
      ours: movedBy(row, "ours"),
      theirs: movedBy(row, "statement"),
      bank: movedBy(row, "bank"),
    });
  }
  const [first, second] = days.map((day) => month.find((row) => row["day"] === day));
  expect(first).toMatchObject({
    account: "sandbox",
    state: "even",
    statement_in: "300.00",
    bank_in: "300.00",
  });
  expect(second).toMatchObject({ state: "differs", ours_returns: "-25.00", statement_complete: "yes" });
  const { statement } = await books.day(days[0] ?? "");
  expect(first).toMatchObject({ statement_lines_sha256: statement?.linesSha256, statement_lines: "2" });
  for (const line of theirs)
    expect(line).toMatchObject({ books_match: expect.stringMatching(/^rcm_/), books_rule: "reference" });
  expect(theirs[0]?.["raw_sha256"]).toMatch(/^[0-9a-f]{64}$/);
});

test("what differs, who explained it and which file brought the lines are named, and nothing is a formula", async () => {
  const files = zipFiles((await bySession(finance, "en")).rawPayload);
  const differences = rowsOf(files, "differences.csv");
  const explained = differences.filter(({ decision: id }) => id === decision?.id);
  expect(explained).toMatchObject([
    {
      leg: "bank",
      difference_kind: "decided",
      amount: "-1.37",
      reason: `'${REASON}`,
      decided_by: USER_EMAIL,
      line_count: "1",
      line_side: "bank",
      line_text: "'=1+1 TARIFA",
    },
  ]);
  // A difference's amount is in the first row of its two lines.
  const open = differences.filter(({ difference_kind: kind }) => kind === "amount_differs");
  expect(open.map(({ amount, line_side: side }) => [amount, side])).toEqual([
    ["-0.01", "theirs"],
    ["", "bank"],
  ]);
  expect(rowsOf(files, "decisions.csv")).toMatchObject([
    { decision: decision?.id, decided_by: USER_EMAIL, reason: `'${REASON}`, undone_by: "" },
  ]);
  expect(rowsOf(files, "imports.csv")).toMatchObject([
    {
      file_name: "'=extrato.ofx",
      file_sha256: createHash("sha256").update(file).digest("hex"),
      imported_lines: "5",
      imported_by: "core",
    },
  ]);
});

test("a seal is what GetSeal answers, and the workbook has the same rows with amounts as numbers", async () => {
  const response = await bySession(finance, "pt-BR");
  expect(response.headers).toMatchObject({
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="paylink-${MONTH}.zip"`,
  });
  const files = zipFiles(response.rawPayload);
  const seal = await fetch(`http://${ports.http1}/paylink.ledger.v1.LedgerService/GetSeal`, {
    method: "POST",
    headers: { ...books.as.headers, "content-type": "application/json" },
    body: JSON.stringify({ day: days[0] }),
  });
  expect(files.get(`seals/${days[0]}.json`)?.toString()).toBe(await seal.text());

  const sheets = await readExcelFile(files.get("month.xlsx") ?? Buffer.of());
  expect(sheets.map(({ sheet, data }) => [sheet, data.length - 1])).toEqual(
    [
      ["Mês", "month.csv"],
      ["Diferenças", "differences.csv"],
      ["Extrato", "statement/sandbox.csv"],
      ["Banco", `bank/${bankAccountId}.csv`],
      ["Nossos registros", "books/sandbox.csv"],
      ["Importações", "imports.csv"],
      ["Explicações", "decisions.csv"],
    ].map(([sheet, name]) => [sheet, rowsOf(files, name ?? "").length]),
  );
  const [titles, ...rows] = sheets.find(({ sheet }) => sheet === "Banco")?.data ?? [];
  const [amount, text] = ["Valor", "Texto"].map((title) => titles?.indexOf(title) ?? -1);
  expect(rows.map((row) => row[amount ?? -1])).toContain(-1.37);
  expect(rows.map((row) => row[text ?? -1])).toContain("=1+1 TARIFA");

  const readMe = files.get("README.txt")?.toString() ?? "";
  expect(readMe).toContain("Pacote do contador: março de 2026");
  expect(readMe).toContain(`- seals/${MONTH}-DD.json: `);
  expect(readMe).toMatch(
    /Dias que não foram fechados: 01\/03\/2026 – 02\/03\/2026, 04\/03\/2026 – 31\/03\/2026\./,
  );
  expect(readMe).toContain(
    `- bank/${bankAccountId}.csv: as linhas da conta bancária Conta (${bankAccountId})`,
  );
  // Made again it is the same, but for the times in the workbook.
  const again = zipFiles((await bySession(finance, "pt-BR")).rawPayload);
  for (const [name, bytes] of files)
    if (!/xlsx|SUMS/.test(name)) expect([name, again.get(name)?.equals(bytes)]).toEqual([name, true]);
  const [entry] = await auditEntries(service, books.merchant.tenant.id);
  expect(entry).toMatchObject({
    action: "RecordExport",
    details: { kind: "EXPORT_KIND_MONTH_PACKAGE", format: "zip", from: `${MONTH}-01`, to: `${MONTH}-31` },
  });
});

test("a month without anything has the files with their titles alone", async () => {
  const files = zipFiles((await bySession(finance, "en", "1970-01")).rawPayload);
  expect([...files.keys()].toSorted()).toEqual([
    "README.txt",
    "SHA256SUMS",
    `bank/${bankAccountId}.csv`,
    "books/sandbox.csv",
    "decisions.csv",
    "differences.csv",
    "imports.csv",
    "month.csv",
    "month.xlsx",
    "statement/sandbox.csv",
  ]);
  for (const name of files.keys())
    if (name.endsWith(".csv")) expect([name, rowsOf(files, name)]).toEqual([name, []]);
  const readMe = files.get("README.txt")?.toString();
  expect(readMe).toContain("Days that are not closed: 1 Jan 1970 – 31 Jan 1970.");
  expect(readMe).not.toContain("seals/");
});

test("a month of more lines than a workbook holds has all of them as CSV, and says so", async () => {
  const large = await Books.of(service);
  const id = await large.bankAccount();
  const count = 20_001;
  const rows = Array.from({ length: count }, (_, index): BankRow => {
    const day = String(1 + (index % 2)).padStart(2, "0");
    return [`${MONTH}-${day}`, BigInt(index + 1), "PIX", `fit-${index}`];
  });
  await large.import(id, ofx(rows));
  const by = new ConsoleClient(service, await createUser(service, large.merchant.tenant.id, "owner"));
  const files = zipFiles((await bySession(by, "en")).rawPayload);
  const lines = rowsOf(files, `bank/${id}.csv`);
  expect(new Set(lines.map(({ foreign_id: fitId }) => fitId)).size).toBe(count);
  expect(lines.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0)).toBe(
    (count * (count + 1)) / 2,
  );
  const sheets = await readExcelFile(files.get("month.xlsx") ?? Buffer.of());
  expect(sheets.map(({ sheet }) => sheet)).not.toContain("Bank");
  expect(files.get("README.txt")?.toString()).toContain("which are in the CSV files alone: Bank.");
});

test("a package needs reconciliation:read, overwrites no file, and leaves none behind when it fails", async () => {
  const identity = createClient(IdentityService, service.core.transport);
  const { token } = await identity.createCoreToken(
    { name: "books", permissions: ["ledger:read"] },
    service.internal,
  );
  const before = await readdir(folder.path);
  const refused = await paylink([MONTH, ...own, "--to", join(folder.path, "refused.zip")], token);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("insufficient_permission") });
  expect(await readdir(folder.path)).toEqual(before);
  const to = join(folder.path, "there.zip");
  await writeFile(to, "mine");
  const again = await paylink([MONTH, ...own, "--to", to]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists") });
  expect(await readFile(to, "utf8")).toBe("mine");

  const developer = await createUser(service, books.merchant.tenant.id, "developer");
  expect((await bySession(new ConsoleClient(service, developer), "en")).statusCode).toBe(403);
  expect((await bySession(finance, "en", "2026-13")).statusCode).toBe(404);
  expect((await finance.get(`/console/test/reconciliation?month=${MONTH}`)).body).toContain(
    `href="/console/test/reconciliation/package.zip?month=${MONTH}"`,
  );
});

test("a decision on a line of the month that was made and undone after it is in the package", async () => {
  const other = (await books.bankLines(bankAccountId)).find(({ day }) => day === days[1]);
  service.clock.set(new Date("2026-04-02T15:00:00Z"));
  const asked = { leg: Leg.BANK, lineKeys: [other?.key ?? ""], reason: "a mistake" };
  const { decision: made } = await books.client.decide(asked, asUser(books.as));
  await books.client.undoDecision({ id: made?.id ?? "" }, asUser(books.as));
  const to = join(folder.path, "later.zip");
  await paylink([MONTH, ...own, "--to", to]);
  expect(rowsOf(zipFiles(await readFile(to)), "decisions.csv")).toMatchObject([
    {
      decision: made?.id,
      decided_at: expect.stringMatching(/^2026-04-02/),
      undone_by: USER_EMAIL,
      days: days[1],
    },
    { decision: decision?.id, undone_by: "" },
  ]);
});
