/** Makes one workbook, in a thread that has nothing else. */
import { parentPort } from "node:worker_threads";
import writeExcelFile, { type SheetData } from "write-excel-file/node";
import type { ToWorkbookThread, WorkbookRow } from "./workbook-rows.ts";

const sheet: SheetData = [];

parentPort?.on("message", (request: ToWorkbookThread) => {
  if (request.kind === "rows") for (const row of request.rows) sheet.push(cellsOf(row, sheet.length === 0));
  else void answer();
});

async function answer(): Promise<void> {
  const bytes = new Uint8Array(await writeExcelFile(sheet).toBuffer());
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

/** The library numbers texts by an object, which has these words already: a sign that is not seen makes them others. */
function writable(text: string): string {
  return text in Object.prototype ? `${text}\u200B` : text;
}
