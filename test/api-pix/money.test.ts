import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { moneyBody, type TimeForm } from "../../tools/bank/messages.ts";
import { randomFor } from "../support/seed.ts";
import { accountAt, chargeRequest, connected, faultOf, NOW, testBank } from "./connected.ts";

const made = await testBank();
afterAll(async () => await made.bank.stop());
beforeEach(() => {
  made.bank.timeForm = "zulu";
  made.bank.faults.clear();
});

async function charged(): Promise<string> {
  const request = chargeRequest();
  await connected(made, accountAt(made)).provider.createCharge(request);
  return request.reference;
}

const find = async (reference: string) => await connected(made, accountAt(made)).provider.find(reference);

describe("money of a charge", () => {
  test("comes with its id, its amount to the centavo and its time", async () => {
    const reference = await charged();
    const at = new Date(NOW.getTime() + 1234);
    const { endToEndId } = made.bank.pay(reference, 15_990n, at);
    expect(await find(reference)).toEqual({
      status: "waiting",
      receipts: [{ providerPaymentId: endToEndId, reference, amountMinor: 15_990n, paidAt: at, returns: [] }],
      returns: [],
    });
  });

  test("that came twice is two receipts, of whatever amounts", async () => {
    const reference = await charged();
    const first = made.bank.pay(reference, 15_990n);
    const second = made.bank.pay(reference, 15_989n, new Date(NOW.getTime() + 86_400_000));
    const { receipts } = await find(reference);
    expect(receipts.map(({ providerPaymentId, amountMinor }) => [providerPaymentId, amountMinor])).toEqual([
      [first.endToEndId, 15_990n],
      [second.endToEndId, 15_989n],
    ]);
  });

  test("after the charge's end is reported with its own time, though the charge stays active until then", async () => {
    const reference = await charged();
    made.bank.clock.advance(86_400);
    expect((await find(reference)).status).toBe("waiting");
    const late = new Date(NOW.getTime() + 900_000 + 61_000);
    made.bank.pay(reference, 15_990n, late);
    made.bank.clock.set(NOW);
    expect((await find(reference)).receipts[0]?.paidAt).toEqual(late);
  });

  test("of any amount is read to the centavo", async () => {
    const random = randomFor("amounts");
    const reference = await charged();
    const amounts = Array.from({ length: 40 }, () => BigInt(random.integer(1, 2 ** 31)));
    for (const amountMinor of [...amounts, 1n, 10n, 999_999_999_999n]) made.bank.pay(reference, amountMinor);
    const { receipts } = await find(reference);
    expect(receipts.map(({ amountMinor }) => amountMinor)).toEqual([...amounts, 1n, 10n, 999_999_999_999n]);
  });

  test.each<[TimeForm, number]>([
    ["zulu", 789],
    ["offset", 789],
    ["seconds", 0],
    ["local", 789],
  ])("has one instant in the form %s", async (form, milliseconds) => {
    made.bank.timeForm = form;
    const reference = await charged();
    made.bank.pay(reference, 15_990n, new Date("2026-11-21T01:30:45.789Z"));
    const { receipts } = await find(reference);
    expect(receipts[0]?.paidAt).toEqual(new Date(Date.UTC(2026, 10, 21, 1, 30, 45, milliseconds)));
  });

  test("that somebody sent with the charge's txid is not in the charge's own list", async () => {
    const reference = await charged();
    made.bank.payKey(15_990n, { txid: reference });
    expect((await find(reference)).receipts).toEqual([]);
  });

  test("input 17: that a paid charge's answer leaves out is asked for by its txid", async () => {
    const [reference, other] = [await charged(), await charged()];
    made.bank.clock.advance(600);
    made.bank.pay(other, 15_990n);
    const { endToEndId } = made.bank.pay(reference, 15_990n);
    made.bank.returnByBank(endToEndId, 5000n);
    made.bank.clock.advance(10 * 86_400);
    made.bank.fail("readCharge", { kind: "charge", alteration: "no_money" });
    const asked = made.bank.requests.length;
    const found = await find(reference);
    const listed = made.bank.requests.slice(asked).filter(({ call }) => call === "statement");
    made.bank.clock.set(NOW);
    expect(found.receipts).toMatchObject([
      { providerPaymentId: endToEndId, reference, amountMinor: 15_990n },
    ]);
    expect(found.returns).toMatchObject([{ amountMinor: 5000n }]);
    expect(listed.map(({ query }) => query["txid"])).toEqual([reference, reference]);
  });

  test("that a paid charge's answer leaves out is not another's, where the bank does not know how to filter", async () => {
    const [reference, other] = [await charged(), await charged()];
    made.bank.pay(other, 15_990n);
    const { endToEndId } = made.bank.pay(reference, 15_990n);
    made.bank.fail("readCharge", { kind: "charge", alteration: "no_money" });
    const pix = [...made.bank.account().money.values()].map((one) => moneyBody(one, "zulu", true));
    made.bank.fail("statement", { kind: "text", status: 200, text: JSON.stringify({ pix }) }, 2);
    const { receipts } = await find(reference);
    expect(receipts.map(({ providerPaymentId }) => providerPaymentId)).toEqual([endToEndId]);
  });

  test("of a charge that waits is asked for nowhere else", async () => {
    const reference = await charged();
    const asked = made.bank.requests.length;
    expect((await find(reference)).receipts).toEqual([]);
    expect(made.bank.requests.slice(asked).filter(({ call }) => call === "statement")).toEqual([]);
  });

  test.each(["other_txid", "other_key"] as const)("of an answer with %s is not read", async (alteration) => {
    const reference = await charged();
    made.bank.pay(reference, 15_990n);
    made.bank.fail("readCharge", { kind: "charge", alteration });
    expect(await faultOf(find(reference))).toEqual({ kind: "unknown", code: "wrong_charge" });
  });

  test("is found though the answer has neither code nor location, and nulls", async () => {
    const reference = await charged();
    made.bank.pay(reference, 15_990n);
    made.bank.fail("readCharge", { kind: "charge", alteration: "no_code_or_location" });
    expect((await find(reference)).receipts).toHaveLength(1);
  });

  test.each([
    { kind: "html", status: 200 },
    { kind: "empty", status: 200 },
    { kind: "empty", status: 204 },
    { kind: "status", status: 503 },
    { kind: "lost" },
  ] as const)("is not known after %o, and no payment fails by it", async (fault) => {
    const reference = await charged();
    made.bank.pay(reference, 15_990n);
    made.bank.fail("readCharge", fault);
    expect((await faultOf(find(reference))).kind).toBe("unknown");
    expect((await find(reference)).receipts).toHaveLength(1);
  });

  test.each([
    { input: 9, status: "DEVOLUCAO_MED", isWithoutTimes: false },
    { input: 10, status: "DEVOLVIDO", isWithoutTimes: true },
    { input: 10, status: "DEVOLUCAO_MED", isWithoutTimes: true },
  ] as const)(
    "input $input: a return in the state $status, without times: $isWithoutTimes, is one at the time at which it is seen",
    async ({ input: _input, ...given }) => {
      const reference = await charged();
      const { endToEndId } = made.bank.pay(reference, 15_990n);
      made.bank.returnByBank(endToEndId, 1000n, "MED_FRAUDE", given);
      made.bank.clock.advance(3600);
      const { receipts, returns } = await find(reference);
      const seenAt = made.bank.clock.now();
      made.bank.clock.set(NOW);
      expect(receipts).toMatchObject([{ amountMinor: 15_990n }]);
      const requestedAt = given.isWithoutTimes ? seenAt : NOW;
      expect(returns).toMatchObject([
        { amountMinor: 1000n, status: "succeeded", requestedAt, endedAt: seenAt },
      ]);
    },
  );

  test("that its bank gave back by itself is a return with the bank's own id", async () => {
    const reference = await charged();
    const { endToEndId } = made.bank.pay(reference, 15_990n);
    made.bank.returnByBank(endToEndId, 5000n, "MED_FRAUDE");
    const { returns } = await find(reference);
    expect(returns).toEqual([
      {
        id: expect.stringMatching(/^MED/) as string,
        providerPaymentId: endToEndId,
        amountMinor: 5000n,
        status: "succeeded",
        reason: "MED_FRAUDE",
        requestedAt: NOW,
        endedAt: NOW,
      },
    ]);
  });
});
