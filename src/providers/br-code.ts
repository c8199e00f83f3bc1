import { decimalText, MINOR_DIGITS } from "../../contract/decimal.ts";
import { codeText } from "./text-rules.ts";
/** The fields of a sandbox BR Code. */
export interface BrCode {
  /** The URL of the charge for the payer's bank, without its scheme; at most 77 characters. */
  readonly location: string;
  readonly amountMinor: bigint;
  readonly merchantName: string;
  readonly merchantCity: string;
}

const PIX_DOMAIN = "br.gov.bcb.pix";
const [ACCOUNT_FIRST, ACCOUNT_LAST] = [26, 51];
const NAME_MAX = 25;
const CITY_MAX = 15;
const NOT_GIVEN = "NAO INFORMADO";
const CRC_FIELD = "6304";
// The response at the location has the charge's own id.
const NO_TRANSACTION_ID = "***";

/**
 * Returns the text of a payer's QR code: EMV QRCPS-MPM in the form of BCB's "Manual de Padrões para Iniciação do Pix",
 * for a dynamic charge that is paid once.
 */
export function writeBrCode({ location, amountMinor, merchantName, merchantCity }: BrCode): string {
  const fields = [
    field("00", "01"),
    field("01", "12"),
    field("26", field("00", PIX_DOMAIN) + field("25", location)),
    field("52", "0000"),
    field("53", "986"),
    field("54", decimalText(amountMinor, MINOR_DIGITS)),
    field("58", "BR"),
    field("59", codeText(merchantName, NAME_MAX) || NOT_GIVEN),
    field("60", codeText(merchantCity, CITY_MAX) || NOT_GIVEN),
    field("62", field("05", NO_TRANSACTION_ID)),
  ];
  const text = `${fields.join("")}${CRC_FIELD}`;
  return text + crcText(text);
}

/** What a payer's bank reads in a dynamic BR Code. */
export interface ReadBrCode {
  /** In centavos; null if only the charge at the location has it. */
  readonly amountMinor: bigint | null;
  /** The URL of the charge, without its scheme; null in a static code. */
  readonly location: string | null;
}

/** Reads a BR Code. Throws RangeError on any other text than a complete BR Code of PIX in BRL. */
export function readBrCode(code: string): ReadBrCode {
  const body = code.slice(0, -4);
  if (!body.endsWith(CRC_FIELD) || crcText(body) !== code.slice(-4).toUpperCase()) {
    throw new RangeError("a BR Code ends with its own CRC");
  }
  try {
    return readContent(code);
  } catch (error) {
    // The standard counts characters. Some banks count bytes of UTF-8.
    const bytes = Buffer.from(code, "utf8").toString("latin1");
    if (bytes === code) throw error;
    return readContent(bytes);
  }
}

function readContent(code: string): ReadBrCode {
  const fields = readFields(code);
  if (fields.get("63") !== code.slice(-4)) throw new RangeError("a BR Code of whole fields");
  const account = accountOf(fields);
  if (fields.get("53") !== "986") throw new RangeError("a BR Code in BRL");
  const amountMinor = amountIn(fields.get("54"));
  return { amountMinor, location: account.get("25") ?? null };
}

/** Returns the account information of PIX, which is in any of the fields 26 to 51. */
function accountOf(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  for (let id = ACCOUNT_FIRST; id <= ACCOUNT_LAST; id++) {
    try {
      const account = readFields(fields.get(String(id)) ?? "");
      if (account.get("00")?.toLowerCase() === PIX_DOMAIN) return account;
    } catch {
      // What is there of another scheme may have another form.
    }
  }
  throw new RangeError("a BR Code of PIX");
}

/** Returns centavos, or null if the charge at the location has the amount: then there is none, or one of zero. */
function amountIn(text: string | undefined): bigint | null {
  if (text === undefined) return null;
  const [, whole, decimals = ""] = /^(\d+)(?:\.(\d{0,2}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new RangeError("a BR Code's amount has two decimals at most");
  const amountMinor = BigInt(whole + decimals.padEnd(MINOR_DIGITS, "0"));
  return amountMinor === 0n ? null : amountMinor;
}

/**
 * Returns the amount of a BR Code, in centavos. Throws RangeError on any other text than a complete BR Code with an
 * amount.
 */
export function amountOfBrCode(code: string): bigint {
  const { amountMinor } = readBrCode(code);
  if (amountMinor === null) throw new RangeError("a BR Code with an amount");
  return amountMinor;
}

function readFields(code: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < code.length;) {
    const length = Number(code.slice(at + 2, at + 4));
    if (!Number.isInteger(length) || at + 4 + length > code.length)
      throw new RangeError("a BR Code of whole fields");
    fields.set(code.slice(at, at + 2), code.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

function field(id: string, value: string): string {
  if (value.length > 99) throw new RangeError(`field ${id} of a BR Code has at most 99 characters`);
  return `${id}${String(value.length).padStart(2, "0")}${value}`;
}

/** Returns the CRC-16/CCITT-FALSE (0x1021, initial value 0xffff) of the whole text before it, in four hex digits. */
function crcText(text: string): string {
  let crc = 0xff_ff;
  for (const byte of Buffer.from(text, "utf8")) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80_00 ? (crc << 1) ^ 0x10_21 : crc << 1;
    crc &= 0xff_ff;
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}
