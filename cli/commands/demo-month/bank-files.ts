import { stringify } from "csv-stringify/sync";
import type { BankFileLine } from "./bank-lines.ts";

/** How the CSV is read, as `paylink bank accounts create --mapping` takes it. */
export const MAPPING = {
  separator: ";",
  decimal: ",",
  dateFormat: "DD/MM/YYYY",
  skipLines: 0,
  skipTexts: ["SALDO"],
  columns: { day: "Data", amount: "Valor", text: ["Histórico"], bankId: "Documento" },
} as const;

/** Returns the lines as OFX 1, as Brazilian banks write it. */
export function ofxOf(lines: readonly BankFileLine[]): string {
  const rows = lines.map(({ day, amountMinor, text, bankId }) => {
    const type = amountMinor < 0n ? "DEBIT" : "CREDIT";
    const posted = `${day.replaceAll("-", "")}120000[-3:BRT]`;
    return `<STMTTRN><TRNTYPE>${type}<DTPOSTED>${posted}<TRNAMT>${decimal(amountMinor, ".")}<FITID>${bankId}<MEMO>${text}</STMTTRN>`;
  });
  return [
    "OFXHEADER:100",
    "DATA:OFXSGML",
    "VERSION:102",
    "CHARSET:1252",
    "",
    "<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKTRANLIST>",
    ...rows,
    "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>",
    "",
  ].join("\n");
}

/** Returns the lines as a CSV of the mapping, with a row of the balance at its end. */
export function csvOf(lines: readonly BankFileLine[]): string {
  const { day, amount, text, bankId } = MAPPING.columns;
  const rows = lines.map((line) => [
    line.day.split("-").toReversed().join("/"),
    line.text,
    line.bankId,
    decimal(line.amountMinor, ","),
  ]);
  const last = rows.at(-1)?.[0] ?? "";
  return stringify([[day, text[0], bankId, amount], ...rows, [last, "SALDO DO DIA", "", ""]], {
    delimiter: MAPPING.separator,
  });
}

function decimal(amountMinor: bigint, point: string): string {
  const digits = String(amountMinor < 0n ? -amountMinor : amountMinor).padStart(3, "0");
  return `${amountMinor < 0n ? "-" : ""}${digits.slice(0, -2)}${point}${digits.slice(-2)}`;
}
