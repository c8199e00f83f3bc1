import { expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { Books, ofx, type BankRow } from "../reconciliation/books.ts";
import { textOf } from "../support/page-text.ts";

const PATH = "/console/test/reconciliation";
const ENGLISH = { "accept-language": "en" };

const service = await forFile(startService());

async function finance(books: Books): Promise<ConsoleClient> {
  return new ConsoleClient(service, await createUser(service, books.merchant.tenant.id, "finance"));
}

/** Returns a page's text in English, with one space between words. */
async function read(by: ConsoleClient, path: string): Promise<string> {
  const { body, statusCode } = await by.get(path, ENGLISH);
  expect([path, statusCode]).toEqual([path, 200]);
  return textOf(body);
}

/** A day on which a payment came to the bank with 1,37 less than the statement says. */
async function shortDay() {
  const books = await Books.of(service);
  const bankAccountId = await books.sandboxBank();
  const day = books.nextDay();
  await books.pay(10_000);
  books.nextDay();
  books.nextDay();
  await books.work();
  const [line] = await books.statementLines();
  const row: BankRow = [day, 9_863n, `PIX RECEBIDO ${line?.reference ?? ""}`, "fit-1"];
  await books.import(bankAccountId, ofx([row, [books.today(), 1n, "RENDIMENTO", "fit-2"]]));
  await books.work();
  return { books, bankAccountId, day, by: await finance(books) };
}

test("a day names what the bank has less, its lines on both sides, and the rule of each match", async () => {
  const { by, day } = await shortDay();
  const month = await read(by, `${PATH}?month=${day.slice(0, 7)}`);
  expect(month).toMatch(/The first day that differs: \d+ \S+ \d{4}, R\$1\.37/);
  const text = await read(by, `${PATH}/days/${day}`);
  expect(text).toContain("The bank shows R$1.37 less than the statement");
  expect(text).toMatch(/Statement \d+ \S+ \d{4} received received \S+ R\$100\.00/);
  expect(text).toMatch(/Bank \d+ \S+ \d{4} — PIX RECEBIDO \S+ …fit-1 R\$98\.63/);
  expect(text).toContain("Closing R$100.00 R$100.00 R$98.63 Balance stated — R$100.00 —");
  expect(text).toContain("our reference or the payment's ID");
});

test("a line of our books, or of the sandbox's statement, is in the words of the page's language", async () => {
  const books = await Books.of(service);
  const day = books.nextDay();
  await books.pay(10_000);
  await books.work();
  const by = await finance(books);
  const { matches } = await books.client.listMatches({ from: day, to: day, limit: 1 }, books.as);
  const page = `${PATH}/matches/${matches[0]?.id ?? ""}`;
  expect(await read(by, page)).toMatch(/Our books \d+ \S+ \d{4} received payment pay_/);
  const inPortuguese = textOf((await by.get(page)).body);
  expect(inPortuguese).toMatch(/Nossos registros \S+ recebimento pagamento pay_/);
  expect(inPortuguese).toMatch(/Extrato \S+ recebimento recebimento /);
});

test("a decision needs lines and a reason, is stored with its maker, and is undone", async () => {
  const { by, books, day } = await shortDay();
  const page = `${PATH}/days/${day}`;
  const [difference] = (await books.day(day)).differences;
  const keys = difference?.lines.map(({ key }) => key) ?? [];
  const leg = String(difference?.leg);
  const decide = async (form: Record<string, string | readonly string[]>) =>
    await by.post(page, `${page}/decide`, { leg, ...form }, ENGLISH);
  const without = await decide({ line: keys });
  expect([without.statusCode, textOf(without.body)]).toEqual([
    422,
    expect.stringContaining("Fill in this field."),
  ]);
  expect(without.body.match(/ checked\b/g)).toHaveLength(keys.length + 1);
  const none = await decide({ [`reason-${leg}`]: "why" });
  expect(textOf(none.body)).toContain("Check at least one line.");
  const unknown = await decide({ [`reason-${leg}`]: "why", line: ["bank bac_1 bkl_1"] });
  expect([unknown.statusCode, textOf(unknown.body)]).toEqual([
    422,
    expect.stringContaining("These lines cannot be joined"),
  ]);

  const made = await decide({ [`reason-${leg}`]: "the bank's fee", lines: [keys.join("\n")] });
  expect([made.statusCode, made.headers.location]).toEqual([303, `${page}?done=decided`]);
  expect(await read(by, page)).toContain("R$1.37 explained: the bank's fee");
  const id = (await books.day(day)).differences[0]?.decisionId ?? "";
  const undone = await by.post(page, `${PATH}/decisions/${id}/undo`, { day });
  expect([undone.statusCode, undone.headers.location]).toEqual([303, `${page}?done=undone`]);
  expect(await read(by, page)).toContain("The bank shows R$1.37 less than the statement");
});

test("a bank account is created with its columns, and its CSV is shown before it is stored", async () => {
  const books = await Books.of(service);
  const by = await finance(books);
  const form = {
    name: "Itaú 1234",
    provider_account_id: "sandbox",
    path: "transfer",
    column_day: "Data",
    column_amount: "",
    column_credit: "Crédito",
    column_debit: "4",
    column_text: "Histórico\nDetalhe",
    column_bank_id: "",
    separator: "semicolon",
    decimal: "comma",
    date_format: "DD/MM/YYYY",
    skip_lines: "0",
    skip_texts: "SALDO",
  };
  const page = `${PATH}/accounts/new`;
  const refused = await by.post(page, page, { ...form, column_day: "", column_debit: "" }, ENGLISH);
  expect(refused.statusCode).toBe(422);
  expect(textOf(refused.body)).toContain("Name the column of the day.");
  expect(textOf(refused.body)).toContain("Name the column of the amount, or both of in and out.");
  expect((await by.post(page, page, form)).headers.location).toBe(`${PATH}/accounts?done=saved`);
  const [account] = (await books.client.listBankAccounts({}, books.as)).bankAccounts;
  expect(JSON.parse(account?.mapping ?? "")).toEqual({
    separator: ";",
    decimal: ",",
    dateFormat: "DD/MM/YYYY",
    skipLines: 0,
    skipTexts: ["SALDO"],
    columns: { day: "Data", credit: "Crédito", debit: 4, text: ["Histórico", "Detalhe"] },
  });
  const id = account?.id ?? "";
  const edit = (await by.get(`${PATH}/accounts/${id}/edit`)).body;
  expect(edit).toMatch(/name="column_credit"[^>]*value="Crédito"/);
  expect(edit).toContain("Histórico\nDetalhe");
  expect(edit).toMatch(/value="DD\/MM\/YYYY"[^>]*>DD\/MM\/AAAA</);

  const csv =
    "Data;Histórico;Crédito;Débito;Detalhe\n04/11/2026;PIX;1,37;;de Ana\n05/11/2026;TARIFA;;2,00;TED\n";
  const send = async (content: string, shown = "") => {
    const address = `${PATH}/accounts/${id}/import`;
    const fields = { form_token: await by.formToken(address), shown };
    return await by.upload(address, fields, ENGLISH, { name: "extrato.csv", content: Buffer.from(content) });
  };
  const bad = await send(csv.replace("05/11", "31/02"));
  expect(textOf(bad.body)).toMatch(/Line of the file Why Line 3 \S+/);
  expect(bad.body).not.toContain('name="shown"');
  const shown = await send(csv);
  expect(textOf(shown.body)).toContain("New lines 2 Sum of the new lines −R$0.63 Lines imported before 0");
  expect(await books.bankLines(id)).toEqual([]);
  const hash = /name="shown"\s+value="([0-9a-f]{64})"/.exec(shown.body)?.[1] ?? "";
  const other = await send(csv.replace("1,37", "1,38"), hash);
  expect(textOf(other.body)).toContain("This is not the file that was shown.");
  expect(await books.bankLines(id)).toEqual([]);
  const done = await send(csv, hash);
  expect([done.statusCode, done.headers.location]).toEqual([
    303,
    expect.stringContaining(`lines?account=${id}`),
  ]);
  expect(await read(by, done.headers.location ?? "")).toContain("Imported: 2 new lines. Known before: 0.");
  const again = textOf((await send(csv)).body);
  expect(again).toContain("All lines of this file are imported already.");
});

test("lines are found by amount and day, of the bank and of the statement", async () => {
  const { by, books, bankAccountId, day } = await shortDay();
  const found = async (query: string) => (await read(by, `${PATH}/${query}`)).match(/R\$[\d.]+/g) ?? [];
  expect(await found(`lines?account=${bankAccountId}`)).toEqual(["R$0.01", "R$98.63"]);
  expect(await found(`lines?account=${bankAccountId}&amount=-98.63`)).toEqual(["R$98.63"]);
  expect(await found(`lines?account=${bankAccountId}&open=yes`)).toEqual(["R$0.01"]);
  expect(await found(`lines?account=${bankAccountId}&from=${day}&to=${day}`)).toEqual(["R$98.63"]);
  expect(await found("statements?account=sandbox&amount=100")).toEqual(["R$100.00"]);
  expect(await found("statements?account=sandbox&amount=100.01")).toEqual([]);
  const { matches } = await books.client.listMatches({ limit: 1 }, books.as);
  expect(await found(`matches/${matches[0]?.id ?? ""}`)).toHaveLength(2);
});

test("contracted fees are stored as they are written, and what cannot be read is named", async () => {
  const books = await Books.of(service);
  const by = await finance(books);
  const page = `${PATH}/fees/sandbox`;
  const row = { "fee_kind-1": "card", "fee_brand-1": "visa", "fee_from-1": "2", "fee_to-1": "6" };
  const bad = await by.post(page, page, { ...row, "fee_percent-1": "a" }, ENGLISH);
  expect([bad.statusCode, textOf(bad.body)]).toEqual([
    422,
    expect.stringContaining("Fee 1: write the percentage such as 3.19."),
  ]);
  const good = { ...row, "fee_percent-1": "3,19", "fee_fixed-1": "0,49" };
  expect((await by.post(page, page, good)).statusCode).toBe(303);
  const { fees } = await books.client.listContractedFees({ accountId: "sandbox" }, books.as);
  expect(fees).toMatchObject([
    { kind: "card", brand: "visa", installmentsFrom: 2, installmentsTo: 6, percentPpm: 31_900n, fixed: 49n },
  ]);
  const { body } = await by.get(page);
  expect(body).toMatch(/value="3,1900"/);
  expect(textOf(body)).toMatch(/Percentual \(%\) Fixa \(R\$\)/);
});

test("a developer and a viewer see none of it", async () => {
  const { id } = await service.createTenant();
  for (const role of ["developer", "viewer"] as const) {
    const by = new ConsoleClient(service, await createUser(service, id, role));
    expect((await by.get(PATH)).statusCode).toBe(403);
    expect((await by.get("/console/test")).body).not.toContain("/reconciliation");
  }
});
