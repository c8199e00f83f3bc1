import fc from "fast-check";
import { expect, test } from "vitest";
import {
  amountText,
  fieldsOf,
  latin,
  linesOf,
  ordinalsOf,
  read,
  someLines,
  type WrittenLine,
} from "./support.ts";

const HEAD = "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n";
const BEGIN = "<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><BANKTRANLIST>";
const END = "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>";
const of = (...transactions: string[]): string => `${HEAD}${BEGIN}\n${transactions.join("\n")}\n${END}\n`;
const transaction = (amount: string, rest = "<FITID>X", posted = "20261103"): string =>
  `<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>${posted}<TRNAMT>${amount}${rest}</STMTTRN>`;

test("the sample of a Brazilian bank is read, with closed and unclosed tags", () => {
  const file = of(
    "<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20261103000000[-3:BRT]</DTPOSTED><TRNAMT>10.50<FITID>X1<MEMO>PIX LOJA & CIA</STMTTRN>",
  );
  expect(read(file)).toEqual({
    lines: [
      {
        day: "2026-11-03",
        amountMinor: 1050n,
        currency: "BRL",
        text: "PIX LOJA & CIA",
        bankId: "X1",
        ordinal: 1,
        raw: expect.stringMatching(/^<STMTTRN>.*<\/STMTTRN>$/),
      },
    ],
    rejected: [],
    balance: null,
  });
});

test("input 28: CHARSET:1252 over bytes of UTF-8 is read as UTF-8", () => {
  const file = of(transaction("1.00", "<FITID>X<MEMO>JOÃO"));
  expect(linesOf(file)[0]?.text).toBe("JOÃO");
  expect(linesOf(latin(file))[0]?.text).toBe("JOÃO");
  expect(
    linesOf(Buffer.concat([latin(of(transaction("1.00", "<FITID>X<MEMO>€")).replace("€", "\u0080"))]))[0]
      ?.text,
  ).toBe("€");
});

test("input 29: rows with one FITID and day and other amounts are lines of their own, in each reading", () => {
  const file = of(transaction("1.00"), transaction("2.00"), transaction("3.00"));
  const [lines, again] = [linesOf(file), linesOf(file)];
  expect(lines.map(({ bankId, amountMinor, ordinal }) => [bankId, amountMinor, ordinal])).toEqual([
    ["X", 100n, 1],
    ["X", 200n, 1],
    ["X", 300n, 1],
  ]);
  expect(again).toEqual(lines);
});

test("input 30: equal rows with other FITIDs are two lines, and with one FITID have ordinals", () => {
  const file = of(
    transaction("1.00", "<FITID>A"),
    transaction("1.00", "<FITID>B"),
    transaction("1.00", "<FITID>B"),
  );
  expect(linesOf(file).map(({ bankId, ordinal }) => [bankId, ordinal])).toEqual([
    ["A", 1],
    ["B", 1],
    ["B", 2],
  ]);
});

test("input 31: an empty unclosed memo, a memo with <, and an amount with a decimal comma are read", () => {
  const file = of(
    transaction("-1.234,56", "<FITID>X<MEMO>"),
    transaction("-1.234,56", "<FITID>X<MEMO>A <B"),
    transaction("1234.56", "<FITID>X<MEMO/>"),
  );
  expect(linesOf(file).map(({ text, amountMinor }) => [text, amountMinor])).toEqual([
    ["", -123_456n],
    ["A <B", -123_456n],
    ["", 123_456n],
  ]);
});

test.each([
  ["20261104020000[0:GMT]", "2026-11-03"],
  ["20261104020000", "2026-11-04"],
  ["20261104020000[-3:BRT]", "2026-11-04"],
  ["20261104010000.123[-03:EST]", "2026-11-04"],
  ["20261104[0:GMT]", "2026-11-04"],
  ["20261103233000[-5:EST]", "2026-11-04"],
])("input 32: without DTEND, %s is of the day %s in São Paulo", (posted, day) => {
  expect(linesOf(of("<DTSTART>20261101", transaction("1.00", "<FITID>X", posted)))[0]?.day).toBe(day);
});

test("XML, entities and lines of unknown tags are read", () => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><?OFX OFXHEADER="200"?>\n${BEGIN}<STMTTRN>
    <DTPOSTED>20261103</DTPOSTED> <TRNAMT>+1.00</TRNAMT>
    <FITID>A</FITID><NAME>ZÉ</NAME><MEMO>A &amp; B &lt;C&gt; &#233; &amp;lt;</MEMO></STMTTRN>
    <STMTTRN><DTPOSTED>20261103<TRNAMT>1.00<FITID>B<MEMO>TWO\n<VENDOR.X>no</STMTTRN>
    <STMTTRN><DTPOSTED>20261103<TRNAMT>1.00<FITID>B<MEMO><![CDATA[A & <B>]]></MEMO></STMTTRN>${END}`;
  expect(linesOf(xml).map(({ text }) => text)).toEqual(["ZÉ A & B <C> é &lt;", "TWO", "A & <B>"]);
});

test("transactions without an end tag, a credit card's statement and its balance are read", () => {
  const file = `${HEAD}<OFX><CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>BRL<CCACCTFROM><ACCTID>1</CCACCTFROM><BANKTRANLIST>
<STMTTRN><DTPOSTED>20261103<TRNAMT>1.00<FITID>A
<STMTTRN><DTPOSTED>20261103<TRNAMT>-2.00<FITID>B
</BANKTRANLIST><LEDGERBAL><BALAMT>-1.500,25<DTASOF>20261104030000[0:GMT]</LEDGERBAL></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>`;
  const { lines, balance, rejected } = read(file);
  expect(rejected).toEqual([]);
  expect(lines.map(({ amountMinor }) => amountMinor)).toEqual([100n, -200n]);
  expect(balance).toEqual({ day: "2026-11-04", minor: -150_025n });
});

test("a list without transactions is a file without lines", () => {
  expect(read(of())).toEqual({ lines: [], rejected: [], balance: null });
});

test.each([
  ["1.234", '"1.234" is no amount'],
  ["", '"" is no amount'],
  ["12,3x", '"12,3x" is no amount'],
  ["1.005,123", "is no amount"],
  ["1.00<TRNAMT>2.00", "two TRNAMT"],
  ["1.00<CURRENCY><CURRATE>1<CURSYM>EUR</CURRENCY>", '"EUR" is not BRL or USD'],
])("an amount %s is rejected, and the line named", (amount, reason) => {
  const { lines, rejected } = read(of(transaction("1.00"), transaction(amount)));
  expect(lines).toHaveLength(1);
  expect(rejected).toEqual([{ line: 9, reason: expect.stringContaining(reason) }]);
});

test.each(["20261131", "20260229", "2026", "", "20261103250000", "20261103000000[BRT]", "03/11/2026"])(
  "a day %s is rejected",
  (posted) => {
    expect(read(of(transaction("1.00", "<FITID>X", posted))).rejected).toEqual([
      { line: 8, reason: expect.stringContaining("is no day") },
    ]);
  },
);

test("a file of two accounts is refused", () => {
  const account = (id: string): string =>
    `</BANKTRANLIST><BANKACCTFROM><ACCTID>${id}</BANKACCTFROM><BANKTRANLIST>`;
  const { lines, rejected } = read(of(account("1"), transaction("1.00"), account("2")));
  expect([lines, rejected]).toEqual([[], [{ line: 10, reason: expect.stringContaining("two accounts") }]]);
});

/** Writes lines as an OFX, with the noise of banks by the bits of a number. */
function written(lines: readonly WrittenLine[], noise: readonly number[]): string {
  return of(
    ...lines.map(({ day, amountMinor, text, bankId }, index) => {
      const bits = noise[index % noise.length] ?? 0;
      const has = (bit: number): boolean => (bits & (1 << bit)) !== 0;
      const element = (bit: number, name: string, value: string): string =>
        `<${name}>${value}${has(bit) ? `</${name}>` : has(7) ? "\r\n" : ""}`;
      const time = has(3) ? "120000[-3:BRT]" : has(4) ? "150000[0:GMT]" : "";
      const memo = text.replaceAll("&", has(6) || text.includes("&amp") ? "&amp;" : "&");
      return [
        "<STMTTRN>",
        element(0, "DTPOSTED", day.replaceAll("-", "") + time),
        element(1, "TRNAMT", amountText(amountMinor, has(5) ? "," : ".", has(2))),
        element(2, "FITID", bankId),
        element(3, "MEMO", memo),
        "</STMTTRN>",
      ].join(has(7) ? "" : "\n");
    }),
  );
}

const noises = fc.array(fc.nat(255), { minLength: 1, maxLength: 5 });

test("any lines that are written are read back, with their ordinals, in either character set", () => {
  fc.assert(
    fc.property(someLines(), noises, fc.boolean(), (lines, noise, isUtf8) => {
      const file = written(lines, noise);
      const result = read(isUtf8 ? file : latin(file));
      expect(result.rejected).toEqual([]);
      expect(fieldsOf(result)).toEqual(lines);
      expect(result.lines.map(({ ordinal }) => ordinal)).toEqual(ordinalsOf(lines));
    }),
  );
});

test("the begin of a file has lines of the file alone, and is rejected if its list is cut", () => {
  fc.assert(
    fc.property(someLines(), noises, fc.nat(), (lines, noise, at) => {
      const file = written(lines, noise);
      const end = at % file.length;
      const result = read(file.slice(0, end));
      expect(fieldsOf(result)).toEqual(lines.slice(0, result.lines.length));
      if (end < file.lastIndexOf("</BANKTRANLIST>")) expect(result.rejected).not.toEqual([]);
    }),
  );
});
