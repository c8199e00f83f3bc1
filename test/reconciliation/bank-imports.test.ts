import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { Books, ofx, type BankRow } from "./books.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const books = await Books.of(service);

const DAY = "2026-11-04";
const MAPPING = JSON.stringify({
  separator: ";",
  decimal: ",",
  dateFormat: "DD/MM/YYYY",
  columns: { day: "Data", amount: "Valor", text: "Histórico", bankId: "Documento" },
});

const fieldsOf = async (bankAccountId: string) =>
  (await books.bankLines(bankAccountId)).map(({ day, amount, text, bankId }) => [day, amount, text, bankId]);

test("a file is imported once, and an overlapping one brings what is new in it", async () => {
  const id = await books.bankAccount();
  const movements: BankRow[] = [
    [DAY, 100n, "A", "1"],
    [DAY, -250n, "B", "2"],
    ["2026-11-05", 300n, "C", "3"],
  ];
  const first = await books.import(id, ofx(movements));
  expect(first).toMatchObject({ importedCount: 3, knownCount: 0, rejected: [] });
  const again = await books.import(id, ofx(movements), "again.ofx");
  expect(again).toMatchObject({ importedCount: 0, knownCount: 3, bankImport: first.bankImport });
  const overlapping: BankRow[] = [...movements.slice(1), ["2026-11-06", 400n, "D", "4"]];
  expect(await books.import(id, ofx(overlapping))).toMatchObject({ importedCount: 1, knownCount: 2 });
  expect(await fieldsOf(id)).toEqual([...movements, ["2026-11-06", 400n, "D", "4"]]);
});

test("two imports of one file at once store its lines once", async () => {
  const id = await books.bankAccount();
  const file = ofx([[DAY, 100n, "A", "1"]]);
  const imports = await Promise.all([
    books.import(id, file),
    books.import(id, `${file}\n`),
    books.import(id, file),
  ]);
  expect(imports.reduce((sum, { importedCount }) => sum + importedCount, 0)).toBe(1);
  expect(await fieldsOf(id)).toHaveLength(1);
});

test("of a file with a line that cannot be read nothing is stored, and the line is named", async () => {
  const id = await books.bankAccount({ mapping: MAPPING });
  const file = "Data;Valor;Histórico;Documento\n04/11/2026;1,00;A;1\n31/02/2026;2,00;B;2\n";
  const before = await rows.countAll("test");
  const answer = await books.import(id, file, "extrato.csv");
  expect(answer).toMatchObject({ importedCount: 0, knownCount: 0, rejectedCount: 1 });
  expect(answer.bankImport).toBeUndefined();
  expect(answer.rejected[0]).toMatchObject({ line: 3 });
  expect(await rows.countAll("test")).toEqual(before);
  const good = file.replace("31/02", "05/11");
  expect(await books.import(id, good, "extrato.csv")).toMatchObject({ importedCount: 2 });
});

test("a preview says what an import would do, and stores nothing", async () => {
  const id = await books.bankAccount();
  await books.import(id, ofx([[DAY, 100n, "A", "1"]]));
  const before = await rows.countAll("test");
  const file = Buffer.from(
    "Data;Valor;Histórico;Documento\n04/11/2026;1,00;A;1\n05/11/2026;-2,50;B;2\nx;1;;\n",
  );
  const preview = await books.client.previewBankImport(
    { bankAccountId: id, content: file, mapping: MAPPING },
    books.as,
  );
  expect(preview).toMatchObject({ lineCount: 2, knownCount: 1, rejectedCount: 1, newAmount: -250n });
  expect(preview.lines.map(({ isKnown }) => isKnown)).toEqual([true, false]);
  expect(await rows.countAll("test")).toEqual(before);
});

test("a mapping that is none is refused, with the field", async () => {
  await expect(books.bankAccount({ mapping: "{" })).rejects.toThrow("mapping is not JSON");
  const wrong = MAPPING.replace('","', '"x');
  await expect(books.bankAccount({ mapping: MAPPING.replace('";"', '"?"') })).rejects.toThrow("separator");
  await expect(books.bankAccount({ mapping: wrong })).rejects.toThrow("mapping");
});

test("input 28: CHARSET:1252 over bytes of UTF-8 is kept as UTF-8", async () => {
  const id = await books.bankAccount();
  await books.import(id, ofx([[DAY, 100n, "JOÃO", "1"]]));
  expect(await fieldsOf(id)).toEqual([[DAY, 100n, "JOÃO", "1"]]);
});

test("inputs 29 and 30: repeated FITIDs of other amounts are lines of their own, and equal rows of two FITIDs two", async () => {
  const id = await books.bankAccount();
  const movements: BankRow[] = [
    [DAY, 100n, "X", "f"],
    [DAY, 200n, "X", "f"],
    [DAY, 300n, "X", "f"],
    [DAY, 500n, "Y", "A"],
    [DAY, 500n, "Y", "B"],
  ];
  await books.import(id, ofx(movements));
  const second = await books.import(id, `${ofx(movements)} `);
  expect(second).toMatchObject({ importedCount: 0, knownCount: 5 });
  expect(await fieldsOf(id)).toEqual(movements);
});

test("inputs 31 and 32: memos without an end, decimal commas, and hours with zones", async () => {
  const id = await books.bankAccount();
  const rowsOf = [
    "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261104020000[0:GMT]<TRNAMT>-1.234,56<FITID>1<MEMO></STMTTRN>",
    "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261104<TRNAMT>-1.00<FITID>2<MEMO>A <B</STMTTRN>",
  ];
  const file = `OFXHEADER:100\n\n<OFX><BANKTRANLIST><DTSTART>20261101${rowsOf.join("\n")}</BANKTRANLIST></OFX>`;
  expect(await books.import(id, file)).toMatchObject({ importedCount: 2, rejected: [] });
  expect(await fieldsOf(id)).toEqual([
    ["2026-11-03", -123_456n, "", "1"],
    [DAY, -100n, "A <B", "2"],
  ]);
});

test("input 33: segment E of CNAB 240 has its sign, and one of 239 characters is refused and named", async () => {
  const id = await books.bankAccount();
  const at = (fields: Readonly<Record<number, string>>): string => {
    let text = "";
    for (const [place, field] of Object.entries(fields)) text = text.padEnd(Number(place) - 1) + field;
    return text.padEnd(240);
  };
  const line = at({
    1: "3410001300001E",
    109: "DPV",
    143: "03112026",
    151: "1050".padStart(18, "0"),
    169: "D",
    170: "2080006",
    177: "TARIFA",
    202: "000-7",
  });
  const short = await books.import(id, `${line}\r\n${line.slice(0, 239)}\r\n`, "extrato.ret");
  expect(short).toMatchObject({ importedCount: 0, rejected: [{ line: 2 }] });
  expect(await books.import(id, `${line}\r\n`, "extrato.ret")).toMatchObject({ importedCount: 1 });
  expect(await fieldsOf(id)).toEqual([["2026-11-03", -1050n, "TARIFA", "000-7"]]);
});

test("a line of a day after today is refused, and a file without transactions is imported", async () => {
  const id = await books.bankAccount();
  const late = await books.import(
    id,
    ofx([
      [DAY, 100n, "X", "1"],
      ["2036-11-03", 200n, "Y", "2"],
    ]),
  );
  expect(late).toMatchObject({ importedCount: 0, rejected: [{ reason: "2036-11-03 is after today" }] });
  expect(await fieldsOf(id)).toEqual([]);
  expect(await books.import(id, ofx([]))).toMatchObject({ importedCount: 0, rejected: [] });
});
