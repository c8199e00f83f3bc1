import { beforeEach, describe, expect, test } from "vitest";
import { ReceivedStatement } from "../../src/providers/api-pix/received-statement.ts";
import { forFile } from "../support/for-file.ts";
import { accountAt, all, connected, faultOf, movedProfile, newRefundId, NOW, testBank } from "./connected.ts";

const made = await testBank();
const { bank } = made;
await forFile(Promise.resolve({ close: async () => await bank.stop() }));
const { provider, setAside } = connected(made, {
  ...accountAt(made),
  profile: { ...accountAt(made).profile, pageSize: 2 },
});
const statement = new ReceivedStatement(provider, bank.clock);
const DAY_SECONDS = 86_400;
const dayText = (at: Date): string => new Date(at.getTime() - 3 * 3_600_000).toISOString().slice(0, 10);
const today = (): string => dayText(bank.clock.now());
const TXID = "somebodyelses00000000000000";

/** Each test has days of its own. */
beforeEach(() => {
  bank.faults.clear();
  setAside.length = 0;
  bank.clock.advance(100 * DAY_SECONDS);
});

/** Lets a day end. Returns it. */
function endDay(): string {
  const day = today();
  bank.clock.advance(DAY_SECONDS);
  return day;
}

describe("a day by the standard's list", () => {
  test("has money of its key, from the first to the last moment of São Paulo, of all pages", async () => {
    const day = today();
    const start = new Date(`${day}T03:00:00.000Z`);
    const last = new Date(start.getTime() + DAY_SECONDS * 1000 - 1);
    const ids = [start, bank.clock.now(), last].map((at) => bank.payKey(100n, { at, txid: TXID }).endToEndId);
    bank.payKey(100n, { at: new Date(start.getTime() - 1) });
    bank.payKey(100n, { at: new Date(last.getTime() + 1) });
    const lines = await all(statement.lines(day));
    expect(lines.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(lines[0]).toMatchObject({
      kind: "received",
      amountMinor: 100n,
      currency: "BRL",
      day,
      reference: TXID,
      endToEndId: lines[0]?.id,
      balanceMinor: null,
    });
  });

  test("has what went back that day of money of any day, once it is over", async () => {
    const old = bank.payKey(1_000n);
    bank.clock.advance(80 * DAY_SECONDS);
    const young = bank.payKey(2_000n);
    const refundId = newRefundId();
    const terms = { providerPaymentId: young.endToEndId, amountMinor: 300n, reason: null };
    await provider.refund({ ...terms, refundId, requestedAt: bank.clock.now() });
    bank.returnByBank(old.endToEndId, 400n);
    const shortly = async (day: string) =>
      (await all(statement.lines(day)))
        .filter(({ kind }) => kind !== "received")
        .map(({ kind, amountMinor, endToEndId }) => [kind, amountMinor, endToEndId]);
    const refund = ["refund", -300n, young.endToEndId];
    expect(await shortly(today())).toEqual([refund]);
    const day = endDay();
    expect(await shortly(day)).toEqual([refund, ["return", -400n, old.endToEndId]]);
    expect((await all(statement.lines(day))).map(({ id }) => id)).toContain(refundId);
    expect(await shortly(dayText(old.at))).toEqual([]);
  });

  test("has no return that is under way, or was not carried out", async () => {
    bank.returnRules = { ...bank.returnRules, outcome: "EM_PROCESSAMENTO" };
    const { endToEndId: providerPaymentId } = bank.payKey(1_000n);
    const terms = { providerPaymentId, amountMinor: 300n, reason: null, requestedAt: bank.clock.now() };
    const [first, second] = [newRefundId(), newRefundId()];
    await provider.refund({ ...terms, refundId: first });
    await provider.refund({ ...terms, refundId: second });
    bank.returnRules = { ...bank.returnRules, outcome: "DEVOLVIDO" };
    bank.endReturn(providerPaymentId, first.replace("_", ""), "NAO_REALIZADO");
    expect((await all(statement.lines(endDay()))).map(({ kind }) => kind)).toEqual(["received"]);
  });

  test("has a return without a time on the day of its money, however late it is read", async () => {
    const { endToEndId } = bank.payKey(1_000n);
    const day = endDay();
    bank.returnByBank(endToEndId, 400n, "MED_FRAUDE", { isWithoutTimes: true });
    const read = async () => (await all(statement.lines(day))).find(({ kind }) => kind === "return");
    const first = await read();
    expect(first).toMatchObject({ amountMinor: -400n, at: null, day });
    bank.clock.advance(5 * DAY_SECONDS);
    expect(await read()).toEqual(first);
  });

  test("is read though the bank refuses older days, and is a fault if it refuses the day itself", async () => {
    bank.payKey(100n);
    const day = endDay();
    const start = new Date(`${day}T03:00:00.000Z`).toISOString();
    bank.faults.draw = (call, query) =>
      call === "statement" && (query.get("inicio") ?? "") < start
        ? { kind: "text", status: 400, text: "{}" }
        : undefined;
    expect(await all(statement.lines(day))).toHaveLength(1);
    bank.faults.draw = (call) =>
      call === "statement" ? { kind: "text", status: 400, text: "{}" } : undefined;
    expect(await faultOf(all(statement.lines(day)))).toMatchObject({ kind: "refused" });
    bank.faults.draw = () => undefined;
  });

  test("is begun anew when pages shift, and has each line once", async () => {
    const day = today();
    for (let index = 0; index < 3; index++) bank.payKey(100n);
    bank.fail("statement", { kind: "drift", amountMinor: 77n });
    const lines = await all(statement.lines(day));
    expect([lines.length, new Set(lines.map(({ id }) => id)).size]).toEqual([4, 4]);
    bank.fail("statement", { kind: "drift", amountMinor: 77n }, 100);
    expect(await faultOf(all(statement.lines(day)))).toEqual({ kind: "unknown", code: "shifting_pages" });
  });

  test("that is answered with 204 is empty, and with a 404 of something in between is a fault", async () => {
    const day = today();
    bank.fail("statement", { kind: "empty", status: 204 });
    expect(await all(statement.lines(day))).toEqual([]);
    bank.fail("statement", { kind: "text", status: 404, text: '{"message":"no Route matched"}' });
    expect(await faultOf(all(statement.lines(day)))).toEqual({ kind: "unknown", code: "unreadable" });
  });

  test("of Banco do Brasil has the returns of its own list too, each once", async () => {
    const { provider: bb } = connected(made, { ...accountAt(made), profile: movedProfile("bb") });
    const { endToEndId } = bank.payKey(1_000n);
    bank.returnByBank(endToEndId, 400n, "MED_FRAUDE", { status: "DEVOLUCAO_MED" });
    const lines = await all(new ReceivedStatement(bb, bank.clock).lines(endDay()));
    expect(lines.map(({ kind }) => kind)).toEqual(["received", "return"]);
  });

  test("has no balance", async () => {
    expect(statement.hasBalance).toBe(false);
    expect(await statement.balance()).toEqual({ openingMinor: null, closingMinor: null });
    expect(bank.clock.nowMs()).toBeGreaterThan(NOW.getTime());
  });
});
