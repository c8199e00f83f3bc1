import { beforeEach, describe, expect, test } from "vitest";
import { readReport } from "../../src/providers/api-pix/report-file.ts";
import { ReportStatement } from "../../src/providers/api-pix/report-statement.ts";
import { forFile } from "../support/for-file.ts";
import { accountAt, all, CLIENT, connected, faultOf, movedProfile, NOW, testBank } from "./connected.ts";

const made = await testBank({ clients: [{ ...CLIENT, feeMinor: 119n }] });
const { bank } = made;
await forFile(Promise.resolve({ close: async () => await bank.stop() }));
const { client } = connected(made, { ...accountAt(made), profile: movedProfile("efi") });
const setAside: number[] = [];
const newStatement = (waitsMs: readonly number[] = [1, 1]) =>
  new ReportStatement(client, bank.clock, (count) => setAside.push(count), waitsMs);
const statement = newStatement();

const DAY = "2026-11-03";
const CA = `CA;Gerencianet;364;1;517613;Loja;2026-11-04;${DAY};Extrato de Conciliação API Pix;4.0`;
const E2E = "E0000000020261103181557703828021";
const TXID = "00001000200300000120211104";
// As the bank's users have them.
const PR = `PR;318548257;${E2E};${TXID};9.00;12345678908;;;;${DAY}T20:15:00.358Z`;
const TPR = `TPR;318548257;${E2E};1.00;${DAY}T20:15:00.358Z`;
const fileOf = (...records: readonly string[]): string => [CA, ...records, "T;0;0;0;0;0;0", ""].join("\r\n");
const linesOf = (...records: readonly string[]) => readReport(fileOf(...records), DAY).lines;
const calls = (call: string): number => bank.requests.filter((request) => request.call === call).length;

/** Each test begins on a day of its own, at noon. */
beforeEach(() => {
  bank.faults.clear();
  bank.reportWaits = 1;
  bank.requests.length = 0;
  setAside.length = 0;
  bank.clock.advance(10 * 86_400);
});
const yesterday = (): string => new Date(bank.clock.nowMs() - 86_400_000).toISOString().slice(0, 10);

describe("a record of a report", () => {
  test("of money has its txid, its end-to-end id and its time", () => {
    expect(linesOf(PR)).toEqual([
      {
        id: "PR 318548257",
        kind: "received",
        amountMinor: 900n,
        currency: "BRL",
        day: DAY,
        at: new Date(`${DAY}T20:15:00.358Z`),
        reference: TXID,
        endToEndId: E2E,
        providerPaymentId: E2E,
        installment: null,
        settlementId: null,
        text: "PR Pix recebido",
        balanceMinor: null,
        raw: PR,
      },
    ]);
  });

  test("of a fee takes money, and has that of its payment", () => {
    expect(linesOf(TPR)).toMatchObject([
      { id: "TPR 318548257", kind: "fee", amountMinor: -100n, endToEndId: E2E, reference: null },
    ]);
  });

  test.each([
    ["PDE", "return", -900n],
    ["ETPR", "fee", 900n],
    ["PEC", "transfer", -900n],
    ["TR", "transfer", 900n],
    ["XYZ", "other", 900n],
    ["constructor", "other", 900n],
  ])("of the name %s is of the kind %s, of %s", (name, kind, amountMinor) => {
    expect(linesOf(`${name};7;9,00`)).toMatchObject([{ kind, amountMinor, endToEndId: null, at: null }]);
  });

  test("of a return under an id of ours is a refund", () => {
    const own = `ref${"0".repeat(26)}`;
    expect(linesOf(`PDE;7;${E2E};${own};9.00`)).toMatchObject([{ kind: "refund", reference: null }]);
  });

  test("of a name and a number that came before has an id of its own", () => {
    expect(linesOf("PDE;7;9.00", "PDE;7;9.00", "PDE;8;9.00").map(({ id }) => id)).toEqual([
      "PDE 7",
      "PDE 7 2",
      "PDE 8",
    ]);
  });

  test("that cannot be read is counted, and the others are read", () => {
    const { lines, setAsideCount } = readReport(fileOf("PR;7;nothing", PR, "?"), DAY);
    expect([lines.length, setAsideCount]).toEqual([1, 2]);
  });

  test("of a balance is no movement, and may be below 0", () => {
    const { lines, openingMinor, closingMinor } = readReport(fileOf("SDA;-1.50", PR, "SD;7.50"), DAY);
    expect([lines.length, openingMinor, closingMinor]).toEqual([1, -150n, 750n]);
    expect(readReport(fileOf(PR), DAY)).toMatchObject({ openingMinor: null, closingMinor: null });
  });
});

describe("a report", () => {
  test.each([
    ["of another day", fileOf(PR).replaceAll(DAY, "2026-11-02")],
    ["that was cut", [CA, PR].join("\n")],
    ["without its header", [PR, "T;0"].join("\n")],
    ["of nothing", ""],
  ])("%s is a fault", async (_, text) => {
    const read = async () => await Promise.resolve(text).then((given) => readReport(given, DAY));
    expect(await faultOf(read())).toEqual({ kind: "unknown", code: "unreadable" });
  });

  test("is asked for once, waited for, and read for the lines and for the balance", async () => {
    const day = yesterday();
    const { endToEndId } = bank.payKey(15_990n, {
      at: new Date(bank.clock.nowMs() - 86_400_000),
      txid: TXID,
    });
    bank.reportWaits = 2;
    const lines = await all(statement.lines(day));
    expect(lines.map(({ kind, amountMinor }) => [kind, amountMinor])).toEqual([
      ["received", 15_990n],
      ["fee", -119n],
    ]);
    expect(lines[0]).toMatchObject({ reference: TXID, endToEndId, day });
    const { openingMinor, closingMinor } = await statement.balance(day);
    expect(closingMinor).toBe((openingMinor ?? 0n) + 15_871n);
    expect([calls("askReport"), calls("readReport")]).toEqual([1, 4]);
  });

  test("is asked for anew when its lines are read again", async () => {
    const day = yesterday();
    await all(statement.lines(day));
    const { endToEndId } = bank.payKey(7n, { at: new Date(bank.clock.nowMs() - 86_400_000) });
    expect((await all(statement.lines(day)))[0]).toMatchObject({ endToEndId });
    expect(calls("askReport")).toBe(2);
  });

  test("that takes long is a fault, and the next reading goes on with it", async () => {
    const day = yesterday();
    bank.reportWaits = 4;
    expect(await faultOf(all(statement.lines(day)))).toEqual({ kind: "unknown", code: "report_not_ready" });
    expect(await all(statement.lines(day))).toEqual([]);
    expect(calls("askReport")).toBe(1);
  });

  test("is not waited for after the signal", async () => {
    const slow = newStatement([60_000]);
    const ends = AbortSignal.timeout(50);
    expect(await faultOf(all(slow.lines(yesterday(), ends)))).toMatchObject({ kind: "unknown" });
  });

  test("that failed at the bank is asked for anew", async () => {
    const day = yesterday();
    bank.fail("readReport", { kind: "status", status: 500 });
    expect(await faultOf(all(statement.lines(day)))).toMatchObject({ kind: "unknown" });
    expect(await all(statement.lines(day))).toEqual([]);
    expect(calls("askReport")).toBe(2);
  });

  test.each([
    ["askReport", 404, '{"message":"no Route matched"}'],
    ["askReport", 204, ""],
    ["readReport", 404, '{"message":"no Route matched"}'],
    ["readReport", 204, ""],
    ["readReport", 200, "{}"],
  ] as const)("whose %s is answered with %d is a fault", async (call, status, text) => {
    bank.fail(call, { kind: "text", status, text });
    expect((await faultOf(all(statement.lines(yesterday())))).kind).toMatch(/unknown|refused/);
  });

  test("of a day that is not over is not asked for", async () => {
    const today = bank.clock.now().toISOString().slice(0, 10);
    expect(await faultOf(all(statement.lines(today)))).toEqual({ kind: "refused", code: "day_not_over" });
    expect(bank.requests).toEqual([]);
    expect(bank.clock.nowMs()).toBeGreaterThan(NOW.getTime());
  });
});
