/** Makes one workbook, in a thread that has nothing else. */
import { parentPort } from "node:worker_threads";
import writeExcelFile, { type SheetData } from "write-excel-file/node";
import type { ToWorkbookThread, WorkbookRow } from "./workbook-rows.ts";

const sheets: { readonly data: SheetData; readonly sheet?: string }[] = [];

parentPort?.on("message", (request: ToWorkbookThread) => {
  if (request.kind === "make") void answer();
  else if (request.kind === "sheet") sheets.push({ data: [], ...named(request.name) });
  else add(request.rows);
});

function named(name: string | undefined): { readonly sheet?: string } {
  return name === undefined ? {} : { sheet: name };
}

function add(rows: readonly WorkbookRow[]): void {
  const data = sheets.at(-1)?.data;
  for (const row of rows) data?.push(cellsOf(row, data.length === 0));
}

async function answer(): Promise<void> {
  const bytes = new Uint8Array(await writeExcelFile(sheets).toBuffer());
  parentPort?.postMessage(bytes, [bytes.buffer]);
}

function cellsOf(row: WorkbookRow, isTitle: boolean): SheetData[number] {
  return row.map((cell) => {
    if (cell === undefined || cell === "") return undefined;
    if (typeof cell === "object") return { value: cell.number, type: Number, format: cell.format };
    if (isTitle) return { value: String(cell), fontWeight: "bold" };
    return typeof cell === "string" ? { value: writable(cell), type: String } : cell;
  });
}

// What XML does not hold or its readers change, and what looks like the form in which it is written: _x0041_ is an A.
const ESCAPED = /(?![\t\n])[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\uFFFD]|_(?=x[\dA-Fa-f]{4})/gu;

/** Returns a text with its characters escaped as ECMA-376 says (ST_Xstring): _x0001_ for U+0001. */
function writable(text: string): string {
  const escaped = text.replaceAll(ESCAPED, (character) =>
    character
      .split("")
      .map((unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
      .join(""),
  );
  // The library numbers texts by an object, which has these words already. It leaves out a NUL, as XML has none.
  return escaped in Object.prototype ? `${escaped}\0` : escaped;
}
