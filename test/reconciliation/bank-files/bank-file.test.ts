import fc from "fast-check";
import { expect, test } from "vitest";
import { FILE_BYTES_MAX } from "../../../src/reconciliation/bank-files/bank-file.ts";
import { LINES_MAX } from "../../../src/reconciliation/bank-files/line-list.ts";
import { MAPPING, read } from "./support.ts";

const LINES = 100_000;
// A slow and busy machine; the figure is printed.
const MS_MAX = 15_000;

test.each([
  "OFXHEADER:100\n<OFX>",
  `${"3410001300001E".padEnd(240, "0")}\n`,
  "Data;Valor;Histórico;Documento\n",
  "PK\u0003\u0004",
  "",
])("no bytes after %j throw", (start) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: "binary" }), (bytes, text) => {
      for (const rest of [bytes, Buffer.from(text)]) {
        const { lines, rejected } = read(Buffer.concat([Buffer.from(start), rest]), MAPPING);
        expect(lines.length + rejected.length).toBeGreaterThan(0);
      }
    }),
  );
});

test.each([
  ["", "the file is empty"],
  ["hello", "it needs a mapping"],
  ["PK\u0003\u0004", "it needs a mapping"],
  ["OFXHEADER:100\n\n<OFX></OFX>", "no transactions"],
])("a file %j without anything to read is rejected: %s", (content, reason) => {
  expect(read(content)).toEqual({
    lines: [],
    rejected: [{ line: 1, reason: expect.stringContaining(reason) }],
    balance: null,
  });
});

test("files past the bounds are rejected", () => {
  expect(read(new Uint8Array(FILE_BYTES_MAX + 1)).rejected[0]?.reason).toContain("more than 20000000 bytes");
  const many = `Data;Valor;Histórico;Documento\n${"03/11/2026;1,00;a;\n".repeat(LINES_MAX + 1)}`;
  const { lines, rejected } = read(many, MAPPING);
  expect([lines, rejected]).toEqual([
    [],
    [{ line: LINES_MAX + 2, reason: expect.stringContaining("more than 200000 lines") }],
  ]);
});

test("100,000 lines of OFX are read in about a second", () => {
  const bytes = Buffer.from(
    `OFXHEADER:100\n\n<OFX><BANKTRANLIST>\n${Array.from(
      { length: LINES },
      (_, index) =>
        `<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>202611${String(1 + (index % 30)).padStart(2, "0")}${String(index % 24).padStart(2, "0")}0000[-3:BRT]</DTPOSTED><TRNAMT>${index}.50<FITID>N${index}<MEMO>PIX RECEBIDO JOÃO & CIA ${index}</STMTTRN>`,
    ).join("\n")}\n</BANKTRANLIST></OFX>`,
  );
  const heapBefore = process.memoryUsage().heapUsed;
  const start = performance.now();
  const cpuBefore = process.cpuUsage();
  const { lines } = read(bytes);
  const cpuMs = process.cpuUsage(cpuBefore).user / 1000;
  const tookMs = performance.now() - start;
  const heapMb = (process.memoryUsage().heapUsed - heapBefore) / 1e6;
  console.info(
    `OFX: ${lines.length} lines, ${(bytes.length / 1e6).toFixed(1)} MB in ${tookMs.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of CPU), heap +${heapMb.toFixed(0)} MB`,
  );
  expect(lines).toHaveLength(LINES);
  expect(tookMs).toBeLessThan(MS_MAX);
});
