import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { DaySealRow, KeptSum } from "../../src/closes/entities.ts";
import { SealedTally } from "../../src/closes/sealed-tally.ts";

const ROWS = [
  { id: "pay_4", status: "succeeded", updated_at: 40, gross: 1000, fee: 100, net: 900, method: "pix" },
  { id: "pay_3", status: "succeeded", updated_at: null, gross: 500, fee: 40, net: 460, method: "pix" },
  { id: "pay_2", status: "failed", updated_at: 20, gross: 70, fee: 6, net: 64, method: "card" },
  { id: "pay_1", status: "succeeded", updated_at: 10, gross: 3, fee: 1, net: 2, method: "pix" },
];
const LINES = ROWS.map(({ gross, fee, net, method, ...row }) => {
  const money = { gross_amount: gross, fee_amount: fee, net_amount: net };
  const currencies = { gross_currency: "BRL", fee_currency: "BRL", net_currency: "USD" };
  return `${JSON.stringify({ ...row, ...money, ...currencies, payment_method: method })}\n`;
});
const STATES = ["pay_4 succeeded 40", "pay_3 succeeded ", "pay_2 failed 20", "pay_1 succeeded 10"];
const CURRENCIES = { grossCurrency: "BRL", netCurrency: "USD", feeCurrency: "BRL" } as const;
const FAILED: KeptSum = {
  ...CURRENCIES,
  method: "card",
  status: "failed",
  paymentCount: "1",
  grossMinor: "70",
  feeMinor: "6",
  netMinor: "64",
};
const PAID: KeptSum = {
  ...CURRENCIES,
  method: "pix",
  status: "succeeded",
  paymentCount: "3",
  grossMinor: "1503",
  feeMinor: "141",
  netMinor: "1362",
};

interface Chunk {
  readonly text: string;
  readonly rowCount: number;
  readonly states: readonly string[];
}

const chunkOf = (from: number, until: number): Chunk => ({
  text: LINES.slice(from, until).join(""),
  rowCount: until - from,
  states: STATES.slice(from, until),
});
const WHOLE = [chunkOf(0, 2), chunkOf(2, 4)];

/** The seal of what is in these chunks, all of it as it should be but for what is given. */
function sealOf(chunks: readonly Chunk[], more: Partial<DaySealRow> = {}): DaySealRow {
  const bytes = Buffer.from(chunks.map(({ text }) => text).join(""));
  return {
    rowsSha256: createHash("sha256").update(bytes).digest("hex"),
    paymentCount: BigInt(chunks.reduce((sum, { rowCount }) => sum + rowCount, 0)),
    byteCount: BigInt(bytes.length),
    sums: [PAID, FAILED],
    ...more,
  } as DaySealRow;
}

function tallyOf(chunks: readonly Chunk[]): SealedTally {
  const tally = new SealedTally();
  for (const { text, ...rest } of chunks) tally.add({ bytes: Buffer.from(text), ...rest });
  return tally;
}

const isSame = (chunks: readonly Chunk[], seal = sealOf(chunks)): boolean => tallyOf(chunks).end(seal).isSame;

describe("the tally of a day's rows", () => {
  test.each([
    ["two chunks", WHOLE],
    ["one chunk", [chunkOf(0, 4)]],
    ["a chunk for each", [0, 1, 2, 3].map((index) => chunkOf(index, index + 1))],
  ])("is that of the seal, from %s", (_, chunks) => {
    const tally = tallyOf(chunks);
    const seal = sealOf(WHOLE);
    expect(tally.rowCount).toBe(4n);
    expect(tally.end(seal)).toEqual({ rowsSha256: seal.rowsSha256, isSame: true });
  });

  test("of no rows is that of the seal of an empty day", () => {
    expect(isSame([], sealOf([], { sums: [] }))).toBe(true);
  });

  test("does not mind in which order the seal has its sums", () => {
    expect(isSame(WHOLE, sealOf(WHOLE, { sums: [FAILED, PAID] }))).toBe(true);
  });

  test.each<[string, Partial<DaySealRow>]>([
    ["another hash", { rowsSha256: "0".repeat(64) }],
    ["another count", { paymentCount: 5n }],
    ["other bytes", { byteCount: 1n }],
    ["a sum less", { sums: [PAID] }],
    ["a sum more", { sums: [PAID, FAILED, FAILED] }],
    ["a sum of another gross", { sums: [{ ...PAID, grossMinor: "1504" }, FAILED] }],
    ["a sum of another fee", { sums: [{ ...PAID, feeMinor: "140" }, FAILED] }],
    ["a sum of another net", { sums: [{ ...PAID, netMinor: "1363" }, FAILED] }],
    ["a sum of another number of payments", { sums: [{ ...PAID, paymentCount: "2" }, FAILED] }],
    ["a sum of another status", { sums: [{ ...PAID, status: "expired" }, FAILED] }],
    ["a sum of another method", { sums: [{ ...PAID, method: "ted" }, FAILED] }],
    ["a sum in another currency", { sums: [{ ...PAID, netCurrency: "BRL" }, FAILED] }],
  ])("is not that of a seal with %s", (_, more) => {
    const { rowsSha256, isSame: same } = tallyOf(WHOLE).end(sealOf(WHOLE, more));
    expect([rowsSha256, same]).toEqual([sealOf(WHOLE).rowsSha256, false]);
  });

  const [first = chunkOf(0, 2), second = chunkOf(2, 4)] = WHOLE;
  test.each<[string, readonly Chunk[]]>([
    [
      "has another number of rows",
      [
        { ...first, rowCount: 3 },
        { ...second, rowCount: 1 },
      ],
    ],
    ["says another state", [{ ...first, states: ["pay_4 pending 40", "pay_3 succeeded "] }, second]],
    ["says two states as one", [{ ...first, states: [first.states.join("\n")] }, second]],
    ["says two states as one without a break", [{ ...first, states: [first.states.join("")] }, second]],
    ["has a state too many", [first, { ...second, states: [...second.states, ""] }]],
    ["has rows that are no JSON", [{ ...first, text: first.text.replaceAll("{", "[") }, second]],
    ["has a row that is null", [first, { ...second, text: `null\n${LINES[3]}` }]],
    ["has an amount that is no number", [first, { ...second, text: second.text.replace("70", '"x"') }]],
  ])("is not that of its seal where a chunk %s", (_, chunks) => {
    expect(isSame(chunks, sealOf(chunks, { paymentCount: 4n }))).toBe(false);
    expect(tallyOf(chunks).rowCount).toBe(4n);
  });

  test("is not that of its seal where something comes after the last row", () => {
    const more = [first, { ...second, text: `${second.text}{}` }];
    expect(tallyOf(more).rowCount).toBe(4n);
    expect(isSame(more)).toBe(false);
  });

  test("is not that of its seal where rows cannot be read, though all that can be adds up", () => {
    const sums = [{ ...PAID, paymentCount: "1", grossMinor: "1000", feeMinor: "100", netMinor: "900" }];
    const damaged = [{ ...first, text: `${LINES[0]}nothing\n` }];
    expect(isSame(damaged, sealOf(damaged, { sums }))).toBe(false);
  });

  test("keeps apart what differs in one thing alone", () => {
    const ted = { ...chunkOf(3, 4), text: LINES[3]?.replace('"pix"', '"ted"') ?? "" };
    const rest = { paymentCount: "2", grossMinor: "1500", feeMinor: "140", netMinor: "1360" };
    const alone = { paymentCount: "1", grossMinor: "3", feeMinor: "1", netMinor: "2" };
    const sums = [{ ...PAID, ...rest }, FAILED, { ...PAID, ...alone, method: "ted" as const }];
    const chunks = [first, chunkOf(2, 3), ted];
    expect(isSame(chunks, sealOf(chunks, { sums }))).toBe(true);
  });
});
