import { describe, expect, test } from "vitest";
import type { BulkPayment } from "../support/bulk-payments.ts";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import { DAY, END, idsOf, payments, SealKeeper, START } from "./seal-keeper.ts";

const keeper = await forFile(SealKeeper.start());

describe("a place to go on from", () => {
  test("is a payment of the day and of the tenant, sealed or not", async () => {
    const [sealed, late, before, after] = [
      payments(1),
      payments(1, { createdAt: START }),
      payments(1, { createdAt: new Date(START.getTime() - 1000) }),
      payments(1, { createdAt: END }),
    ];
    const merchant = await keeper.sealedWith(sealed);
    const { ledger, as, tenant } = merchant;
    const [foreign] = payments(1);
    const other = await keeper.sealedWith([foreign as BulkPayment]);
    await keeper.insert(merchant, [...late, ...before, ...after]);
    const listAfter = async (startingAfter: string | undefined) =>
      idsOf((await ledger.listSealDeltas({ day: DAY, startingAfter: startingAfter ?? "" }, as)).deltas);
    const [lateId, sealedId] = [late[0]?.id, sealed[0]?.id];
    expect([await listAfter(sealedId), await listAfter(lateId)]).toEqual([[lateId], []]);
    for (const id of [before[0]?.id, after[0]?.id, foreign?.id, "pay_x", tenant.id])
      expect(await refusalOf(listAfter(id))).toMatchObject({
        code: "invalid_request",
        param: "starting_after",
      });
    await expect(listAfter("pay_x")).rejects.toThrow("starting_after is not a payment of the day.");
    expect(other.tenant.id).not.toBe(tenant.id);
  });

  test("is a cursor of an answer and no other text", async () => {
    const given = payments(2);
    const merchant = await keeper.sealedWith(given);
    const { ledger, as, tenant } = merchant;
    await keeper.change(given);
    await keeper.insert(merchant, payments(3, { createdAt: START }));
    const list = async (cursor: string, limit = 500) =>
      await ledger.listSealDeltas({ day: DAY, limit, cursor }, as);
    const first = await ledger.listSealDeltas({ day: DAY, limit: 1 }, as);
    const cursor = first.nextCursor ?? "";
    expect((await list(cursor)).deltas).toHaveLength(4);
    // After the last sealed payment the next sealed row is none.
    const { nextCursor: atEnd = "" } = await list(cursor, 2);
    expect(atEnd).toMatch(/\.2$/);
    expect((await list(atEnd)).deltas).toHaveLength(2);
    const [second = "", id = ""] = cursor.split(".");
    for (const text of [
      `x${cursor}`,
      `${cursor}x`,
      `${second}.${id}`,
      `${second}.${id}.`,
      `${second}.${id}.1`,
      `${second}.${id}.3`,
      `.${id}.0`,
      `x.${id}.0`,
      `${second}.pay_.0`,
      `${second}.pay-1.0`,
      `${second}.${tenant.id}.0`,
      `${"1".repeat(12)}.${id}.0`,
      `${second}.pay_${"1".repeat(41)}.0`,
      `${second}.${id}.${"0".repeat(19)}`,
      `${second} ${id} 0`,
    ])
      expect([text, await refusalOf(list(text))]).toMatchObject([
        text,
        { status: "InvalidArgument", code: "invalid_request", param: "cursor" },
      ]);
    await expect(list("x")).rejects.toThrow("cursor is not one that an answer gave.");
    const widest = `${"1".repeat(11)}.pay_${"1".repeat(40)}.${"0".repeat(18)}`;
    expect((await list(widest)).deltas).toHaveLength(5);
  });
});

describe("the list of seals", () => {
  test("is of the span's days, the first and the last with it, oldest first", async () => {
    const { ledger, as } = await keeper.newMerchant();
    const days = ["2026-03-01", "2026-03-02", "2026-03-03"] as const;
    for (const day of days.toReversed()) await ledger.sealDay({ day }, as);
    const list = async (from: string, to: string) =>
      (await ledger.listSeals({ from, to }, as)).seals.map(({ seal }) => seal?.day);
    expect(await list("2026-03-01", "2026-03-03")).toEqual(days);
    expect(await list("2026-03-02", "2026-03-02")).toEqual(["2026-03-02"]);
    expect(await list("2026-03-04", "2026-03-04")).toEqual([]);
  });

  test("counts what changed from the day's first second to its last, of the tenant alone", async () => {
    const [merchant, other] = [await keeper.sealedWith([]), await keeper.sealedWith([])];
    const seconds = [START.getTime() - 1000, START.getTime(), END.getTime() - 1000, END.getTime()];
    await keeper.insert(
      merchant,
      seconds.flatMap((ms) => payments(1, { createdAt: new Date(ms) })),
    );
    await keeper.insert(other, payments(1));
    const counts = [merchant, other].map(async ({ ledger, as }) =>
      (await ledger.listSeals({ from: DAY, to: DAY }, as)).seals.map(({ changedCount }) => changedCount),
    );
    expect(await Promise.all(counts)).toEqual([[2n], [1n]]);
  });

  test("spans 366 days at most, and its days are days", async () => {
    const { ledger, as } = await keeper.newMerchant();
    const list = (from: string, to: string) => ledger.listSeals({ from, to }, as);
    expect((await list("2026-01-01", "2027-01-01")).seals).toEqual([]);
    for (const [from, to, param, message] of [
      ["2026-01-01", "2027-01-02", "to", "to must be within 366 days of from."],
      ["2026-01-02", "2026-01-01", "from", "from must not be after to."],
      ["2026-02-30", "2026-03-01", "from", "from"],
      ["2026-02-01", "2026-02-30", "to", "to"],
    ] as const) {
      expect(await refusalOf(list(from, to))).toMatchObject({ code: "invalid_request", param });
      await expect(list(from, to)).rejects.toThrow(message);
    }
  });
});

describe("a day", () => {
  test("that is not a date is refused with the field, and one that is not sealed has no seal", async () => {
    const { ledger, as } = await keeper.newMerchant();
    const calls = [
      (day: string) => ledger.getSeal({ day }, as),
      (day: string) => ledger.verifySeal({ day }, as),
      (day: string) => ledger.listSealedRows({ day }, as),
      (day: string) => ledger.listSealDeltas({ day }, as),
    ];
    for (const call of calls) {
      expect(await refusalOf(call("2026-02-30"))).toMatchObject({ code: "invalid_request", param: "day" });
      await expect(call(DAY)).rejects.toThrow(`${DAY} is not sealed`);
    }
    await expect(ledger.sealDay({ day: "2026-03-05" }, as)).rejects.toThrow(
      "A day can be sealed from a minute after its end in São Paulo on.",
    );
  });

  test("whose seal was altered past the service lists no deltas, and the error names VerifySeal", async () => {
    const { ledger, as, tenant } = await keeper.sealedWith([]);
    await keeper.tamper("UPDATE test.day_seal SET sealed_by = 'usr_x' WHERE true", tenant.id);
    await expect(ledger.listSealDeltas({ day: DAY }, as)).rejects.toThrow(
      "The seal was altered: VerifySeal shows what is kept.",
    );
  });
});
