import fc from "fast-check";
import { hasError, parsePix, PixElementType } from "pix-utils";
import { describe, expect, test } from "vitest";
import { amountOfBrCode, readBrCode, writeBrCode } from "../../src/providers/br-code.ts";
import { checkedCode } from "../../src/providers/pix-code.ts";

const LOCATION = "sandbox.paylink.invalid/pix/pay01m7ymjfbmeb8t99egrrkce2wc";
const code = (amountMinor: bigint, merchantName = "Atelie") =>
  writeBrCode({ location: LOCATION, amountMinor, merchantName, merchantCity: "SAO PAULO" });

const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, "0")}${value}`;

/** A code of these fields, with its CRC. */
function sealed(...fields: string[]): string {
  const body = `${fields.join("")}6304`;
  let crc = 0xff_ff;
  for (const byte of Buffer.from(body)) {
    let mixed = (crc >> 8) ^ byte;
    mixed ^= mixed >> 4;
    crc = ((crc << 8) ^ (mixed << 12) ^ (mixed << 5) ^ mixed) & 0xff_ff;
  }
  return body + crc.toString(16).toUpperCase().padStart(4, "0");
}

const BRL = field("53", "986");
const PIX = field("26", field("00", "br.gov.bcb.pix") + field("25", LOCATION));

describe("a BR Code", () => {
  test("is read by an independent library as what was written, its CRC too", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 999_999_999_999n }), fc.string(), (amount, name) => {
        const text = code(amount, name);
        const read = parsePix(text);
        if (hasError(read) || read.type !== PixElementType.DYNAMIC) throw new Error("not a dynamic PIX");
        expect(read.url).toBe(LOCATION);
        expect(read.transactionCurrency).toBe("986");
        expect(hasError(parsePix(`${text.slice(0, -4)}0000`))).toBe(!text.endsWith("0000"));
      }),
      { numRuns: 500 },
    );
  });

  test("carries the amount to the centavo", () => {
    expect(code(1n)).toContain("54040.01");
    expect(code(15_990n)).toContain("5406159.90");
    expect(code(999_999_999_999n)).toContain("54139999999999.99");
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 999_999_999_999n }), (amount) => {
        expect(amountOfBrCode(code(amount))).toBe(amount);
      }),
    );
  });

  test("names the merchant in ASCII, in 25 characters", () => {
    expect(code(1n, "Ateliê São João do Ribeirão das Neves")).toContain("5925Atelie Sao Joao do Ribeir6009");
    expect(code(1n, "日本")).toContain("5913NAO INFORMADO");
  });

  test.each([
    ["one character changed", code(15_990n).replace("159.90", "159.91")],
    ["cut short", code(15_990n).slice(0, -1)],
    ["empty", ""],
    ["words", "not a code"],
  ])("%s is refused", (_what, text) => {
    expect(() => amountOfBrCode(text)).toThrow(RangeError);
  });

  test("has every field of a dynamic charge that is paid once", () => {
    const account = field("00", "br.gov.bcb.pix") + field("25", LOCATION);
    const merchant = [field("58", "BR"), field("59", "Atelie"), field("60", "SAO PAULO")];
    const fields = [field("00", "01"), field("01", "12"), field("26", account), field("52", "0000"), BRL];
    const text = sealed(...fields, field("54", "159.90"), ...merchant, field("62", field("05", "***")));
    expect(code(15_990n)).toBe(text);
    expect(readBrCode(text)).toEqual({ amountMinor: 15_990n, location: LOCATION });
  });

  test("is not written of a location that is longer than its field", () => {
    const asked = { amountMinor: 1n, merchantName: "A", merchantCity: "B" };
    const longest = 99 - field("00", "br.gov.bcb.pix").length - field("25", "").length;
    expect(writeBrCode({ ...asked, location: "x".repeat(longest) })).toContain("2699");
    for (const length of [longest + 1, 100]) {
      const write = () => writeBrCode({ ...asked, location: "x".repeat(length) });
      expect(write).toThrow(RangeError);
    }
  });

  test("names a merchant without the blanks around its name, and without one at its cut", () => {
    expect(code(1n, "  Ana  ")).toContain("5903Ana6009");
    expect(code(1n, `${"a".repeat(24)} bc`)).toContain(`5924${"a".repeat(24)}6009`);
  });

  test("of another writer may leave out amount and location, and write names and CRC in the other case", () => {
    const upper = field("26", field("00", "BR.GOV.BCB.PIX") + field("01", "chave"));
    expect(readBrCode(sealed(upper, BRL))).toEqual({ amountMinor: null, location: null });
    const text = code(15_990n);
    const lower = text.slice(0, -4) + text.slice(-4).toLowerCase();
    expect(readBrCode(lower)).toEqual({ amountMinor: 15_990n, location: LOCATION });
    expect(() => amountOfBrCode(sealed(PIX, BRL))).toThrow("with an amount");
    expect(readBrCode(sealed(PIX, field("54", "1234.05"), BRL)).amountMinor).toBe(123_405n);
  });

  test.each([
    ["of no PIX", sealed(field("26", field("00", "com.example")), BRL), "of PIX"],
    ["without an account", sealed(BRL), "of PIX"],
    ["with an account of nothing", sealed(field("26", ""), BRL), "of PIX"],
    ["in no currency", sealed(PIX), "in BRL"],
    ["in USD", sealed(PIX, field("53", "840")), "in BRL"],
    ["in three decimals", sealed(PIX, BRL, field("54", "1.500")), "two decimals"],
    ["in a comma", sealed(PIX, BRL, field("54", "1,50")), "two decimals"],
    ["of less than nothing", sealed(PIX, BRL, field("54", "-1.50")), "two decimals"],
    ["of no whole amount", sealed(PIX, BRL, field("54", ".50")), "two decimals"],
    ["of an empty amount", sealed(PIX, BRL, field("54", "")), "two decimals"],
    ["with a length that is no number", sealed(PIX, BRL, "54x01"), "whole fields"],
    ["with a field that is longer than the code", sealed(PIX, BRL, "54991.00"), "whole fields"],
    [
      "with a field that is one longer than its account",
      sealed(field("26", "0015br.gov.bcb.pix"), BRL),
      "of PIX",
    ],
    ["whose last field is no CRC", `${code(1n).slice(0, -8)}6204${code(1n).slice(-4)}`, "its own CRC"],
  ])("%s is refused", (_what, text, why) => {
    expect(() => readBrCode(text)).toThrow(RangeError);
    expect(() => readBrCode(text)).toThrow(why);
  });
});

describe("a bank's BR Code", () => {
  const account = (id: string) => field(id, field("00", "br.gov.bcb.pix") + field("25", LOCATION));
  const inBytes = (id: string, value: string) =>
    `${id}${String(Buffer.byteLength(value)).padStart(2, "0")}${value}`;
  const shown = (issued: string, amountMinor: bigint) => {
    const request = {
      reference: "pay01",
      amountMinor,
      merchantName: "Loja",
      description: null,
      expiresAt: new Date(900_000),
      isRepeated: false,
    };
    return checkedCode({ code: issued, location: LOCATION }, request);
  };

  test.each(["26", "27", "38", "51"])("with its account information in field %s is shown", (id) => {
    const issued = sealed(field("26", field("00", "com.example")), account(id), BRL, field("54", "10.00"));
    expect(shown(issued, 1000n)).toBe(issued);
  });

  test("is shown beside information that is of another scheme and not in fields", () => {
    const issued = sealed(field("26", "https://example.com"), account("27"), BRL);
    expect(shown(issued, 1000n)).toBe(issued);
  });

  test.each(["25", "52"])("with its account information in field %s is of no PIX", (id) => {
    expect(() => readBrCode(sealed(account(id), BRL))).toThrow("of PIX");
  });

  test.each(["10", "10.", "10.0", "10.00", "010.00"])(
    "with the amount %s is shown for R$ 10.00 alone",
    (amount) => {
      const issued = sealed(PIX, BRL, field("54", amount));
      expect(shown(issued, 1000n)).toBe(issued);
      for (const other of [10n, 100n, 999n, 1001n, 10_000n]) {
        expect(() => shown(issued, other)).toThrow("asks for another amount");
      }
    },
  );

  test("with the amount 10.5 is shown for R$ 10.50 alone", () => {
    const issued = sealed(PIX, BRL, field("54", "10.5"));
    expect(shown(issued, 1050n)).toBe(issued);
    expect(() => shown(issued, 1005n)).toThrow("asks for another amount");
  });

  test.each(["0", "0.00"])("with the amount %s leaves it to the charge at its location", (amount) => {
    const issued = sealed(PIX, BRL, field("54", amount));
    expect(shown(issued, 15_990n)).toBe(issued);
  });

  test.each([
    ["bytes", inBytes],
    ["characters", field],
  ])("that counts its lengths in %s is shown, and refused with another amount", (_unit, made) => {
    const names = [made("59", "PADARIA SÃO JOÃO"), made("60", "SÃO PAULO"), made("62", made("05", "***"))];
    for (const amounts of [
      [field("54", "10.00"), ...names],
      [...names, field("54", "10.00")],
    ]) {
      const issued = sealed(PIX, BRL, ...amounts);
      expect(shown(issued, 1000n)).toBe(issued);
      expect(() => shown(issued, 1001n)).toThrow("asks for another amount");
    }
  });
});
