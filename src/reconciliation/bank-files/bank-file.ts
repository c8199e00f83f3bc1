import { isUtf8 } from "node:buffer";
import { isCnab240, readCnab240 } from "./cnab240.ts";
import { readCsv } from "./csv.ts";
import { LineList, UnreadableFile, type BankFile } from "./line-list.ts";
import type { Mapping } from "./mapping.ts";
import { readOfx } from "./ofx.ts";
import { readXlsx } from "./xlsx.ts";

export type { BankFile, BankFileLine } from "./line-list.ts";

/** Bytes that a file may have. */
export const FILE_BYTES_MAX = 20_000_000;
const OFX = /<OFX>|^\s*OFXHEADER/;
// A header and an XML declaration are shorter.
const OFX_HEAD = 4096;
const ZIP = [0x50, 0x4b, 0x03, 0x04];
// The workbooks before XLSX.
const XLS = [0xd0, 0xcf, 0x11, 0xe0];

/**
 * Reads a bank's file, and knows by its content what it is: OFX, CNAB 240, XLSX or CSV. The last two need the bank account's
 * mapping. A file that cannot be read as a whole has no lines, and one rejected line with the reason. A line of a day after
 * `lastDay` (YYYY-MM-DD) is rejected. Throws nothing.
 */
export function readBankFile(bytes: Uint8Array, mapping: Mapping | null = null, lastDay?: string): BankFile {
  try {
    return read(bytes, mapping, new LineList(lastDay));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { lines: [], rejected: [{ line: error.line, reason: error.message }], balance: null };
  }
}

function read(bytes: Uint8Array, mapping: Mapping | null, list: LineList): BankFile {
  if (bytes.length > FILE_BYTES_MAX)
    throw new UnreadableFile(`the file has more than ${FILE_BYTES_MAX} bytes: import it in parts`);
  if (startsWith(bytes, XLS)) throw new UnreadableFile("the file is an old workbook: save it as XLSX");
  if (startsWith(bytes, ZIP)) return readXlsx(bytes, required(mapping, "an XLSX:"), list);
  const text = textOf(bytes);
  if (text.trim() === "") throw new UnreadableFile("the file is empty");
  if (OFX.test(text.slice(0, OFX_HEAD))) return readOfx(text, list);
  if (isCnab240(text)) return readCnab240(text, list);
  return readCsv(text, required(mapping, "neither OFX nor CNAB 240. As a CSV,"), list);
}

/** Returns the text of bytes. A file's own word for its character set is often wrong: what is UTF-8 is read as it. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? "utf-8" : "windows-1252").decode(bytes);
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

function required(mapping: Mapping | null, kind: string): Mapping {
  if (mapping === null) throw new UnreadableFile(`the file is ${kind} it needs a mapping of its columns`);
  return mapping;
}
