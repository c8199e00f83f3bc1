import { describe, expect, test } from "vitest";
import { createClient } from "@connectrpc/connect";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { SealDeltaKind } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { auditEntries } from "../support/audit.ts";
import type { BulkPayment } from "../support/bulk-payments.ts";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import { DAY, END, idsOf, payments, SealKeeper, START } from "./seal-keeper.ts";

const MIB = 1024 * 1024;

const keeper = await forFile(SealKeeper.start());

describe("the sealed rows of a day come in pieces", () => {
  test("of no more than a MiB, filled as far as rows fit, and a larger row by itself", async () => {
    const filled = (length: number): Partial<BulkPayment> => ({
      reference: null,
      linkId: null,
      metadata: { a: "x".repeat(length) },
    });
    const [sample] = payments(1, filled(0));
    const of = (index: number, more: Partial<BulkPayment>): BulkPayment => ({
      ...(sample as BulkPayment),
      ...(payments(index + 1)[index] as BulkPayment),
      input: (sample as BulkPayment).input,
      price: (sample as BulkPayment).price,
      status: "pending",
      failureCode: null,
      createdAt: new Date(END.getTime() - (index + 1) * 1000),
      ...more,
    });
    const bare = await keeper.sealedWith([of(0, filled(0))]);
    const length = (await bare.ledger.listSealedRows({ day: DAY }, bare.as)).rows.length;
    const half = MIB / 2 - length;
    // A larger one, two that fill a MiB to the byte, two that are a byte too many, a larger one, a small one.
    const lengths = [MIB, half, half, half, half + 1, MIB, 0];
    const { ledger, as } = await keeper.sealedWith(lengths.map((each, index) => of(index, filled(each))));
    const sizes: [rows: number, bytes: number, hasMore: boolean][] = [];
    for (let [position, hasMore] = [0n, true]; hasMore;) {
      const page = await ledger.listSealedRows({ day: DAY, position }, as);
      sizes.push([Number(page.nextPosition - position), page.rows.length, page.hasMore]);
      ({ nextPosition: position, hasMore } = page);
    }
    expect(sizes).toEqual([
      [1, MIB + length, true],
      [2, MIB, true],
      [1, MIB / 2, true],
      [1, MIB / 2 + 1, true],
      [1, MIB + length, true],
      [1, length, false],
    ]);
    expect(await ledger.verifySeal({ day: DAY }, as)).toMatchObject({ isIntact: true, deltaCount: 0n });
  });

  test("of which what is after the last is empty, and what is no piece's begin is refused", async () => {
    const { ledger, as } = await keeper.sealedWith(payments(3));
    const whole = await ledger.listSealedRows({ day: DAY, position: 0n }, as);
    expect(whole).toMatchObject({ nextPosition: 3n, hasMore: false });
    expect(Buffer.from(whole.rows).toString().split("\n")).toHaveLength(4);
    const end = await ledger.listSealedRows({ day: DAY, position: 3n }, as);
    expect([end.rows.length, end.nextPosition, end.hasMore]).toEqual([0, 3n, false]);
    for (const position of [1n, 4n])
      expect(await refusalOf(ledger.listSealedRows({ day: DAY, position }, as))).toMatchObject({
        code: "invalid_request",
        param: "position",
      });
    await expect(ledger.listSealedRows({ day: DAY, position: 1n }, as)).rejects.toThrow(
      "position is not one that an answer gave.",
    );
  });

  test("that begin before the place that a list goes on from are not read", async () => {
    const given = payments(4, { metadata: { a: "x".repeat(MIB / 2) } });
    const merchant = await keeper.sealedWith(given);
    const { ledger, as, tenant } = merchant;
    await keeper.change(given);
    await keeper.tamper("UPDATE test.sealed_rows SET bytes = 'x' WHERE position < 2", tenant.id);
    // Written anew, the good ones come after the damaged ones for a reader of all of them.
    await keeper.tamper("UPDATE test.sealed_rows SET bytes = bytes WHERE position >= 2", tenant.id);
    const startingAfter = given[2]?.id ?? "";
    const { deltas } = await ledger.listSealDeltas({ day: DAY, startingAfter }, as);
    expect(idsOf(deltas)).toEqual([given[3]?.id]);
  });
});

test("a day is sealed as of one moment, though its payments change meanwhile", async () => {
  const given = payments(501, { status: "pending", failureCode: null });
  const merchant = await keeper.newMerchant();
  await keeper.insert(merchant, given);
  // The seal waits before it writes the first page: the sums and that page are read, the last payment is not.
  await keeper.rows.run("BEGIN");
  await keeper.rows.run("LOCK TABLE test.sealed_rows IN SHARE MODE");
  const sealing = merchant.ledger.sealDay({ day: DAY }, merchant.as);
  const waiting = "pg_locks WHERE NOT granted AND relation = 'test.sealed_rows'::regclass";
  await expect.poll(() => keeper.rows.count(waiting)).toBe(1);
  await keeper.rows.run(
    "UPDATE test.payment SET status = 'expired', updated_at = '2026-03-06T12:00:00Z' WHERE id = $1",
    [given.at(-1)?.id],
  );
  await keeper.rows.run("COMMIT");
  await sealing;
  const { isIntact, deltas } = await merchant.ledger.verifySeal({ day: DAY }, merchant.as);
  expect([isIntact, idsOf(deltas)]).toEqual([true, [given.at(-1)?.id]]);
});

describe("what changed since the seal", () => {
  test("is listed newest first, each kind where it belongs", async () => {
    const given = payments(6);
    const [a, b, c, d, e, f] = given.map(({ id }) => id) as [string, string, string, string, string, string];
    const merchant = await keeper.newMerchant();
    const { ledger, as } = merchant;
    await keeper.insert(
      merchant,
      [1, 2, 4].map((index) => given[index] as BulkPayment),
    );
    await ledger.sealDay({ day: DAY }, as);
    await keeper.insert(
      merchant,
      [0, 3, 5].map((index) => given[index] as BulkPayment),
    );
    await keeper.change([given[1] as BulkPayment]);
    await keeper.rows.run("DELETE FROM test.payment WHERE id = $1", [e]);
    const { NEW, CHANGED, GONE } = SealDeltaKind;
    const expected = [
      [a, NEW],
      [b, CHANGED],
      [d, NEW],
      [e, GONE],
      [f, NEW],
    ] as const;
    const { deltas } = await ledger.listSealDeltas({ day: DAY }, as);
    expect(deltas.map(({ paymentId, kind }) => [paymentId, kind])).toEqual(expected);
    for (const [index, startingAfter] of [a, b, c, d, e, f].entries()) {
      const later = new Set([a, b, c, d, e, f].slice(index + 1));
      const after = await ledger.listSealDeltas({ day: DAY, startingAfter }, as);
      expect(idsOf(after.deltas)).toEqual(expected.map(([id]) => id).filter((id) => later.has(id)));
    }
  });

  test("comes in answers of some 4 MiB at most, and is counted whole", async () => {
    const given = payments(10, { metadata: { a: "x".repeat(MIB / 2) } });
    const { ledger, as } = await keeper.sealedWith(given);
    await keeper.change(given);
    const found: string[][] = [];
    for (let cursor: string | undefined, hasMore = true; hasMore;) {
      const page = await ledger.listSealDeltas(
        { day: DAY, limit: 100, ...(cursor === undefined ? {} : { cursor }) },
        as,
      );
      found.push(idsOf(page.deltas));
      ({ nextCursor: cursor, hasMore } = page);
    }
    expect(found.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
    expect(found.flat()).toEqual(given.map(({ id }) => id));
    const { deltas, deltaCount } = await ledger.verifySeal({ day: DAY }, as);
    expect([deltas.length, deltaCount]).toEqual([4, 10n]);
  });

  test("orders payments of one second by their ids", async () => {
    const at = new Date(START.getTime() + 5000);
    const given = payments(4, { createdAt: at });
    const [first, ...rest] = given
      .map(({ id }) => id)
      .toSorted()
      .toReversed() as [string, ...string[]];
    const { ledger, as } = await keeper.sealedWith(given);
    await keeper.change(given);
    expect(idsOf((await ledger.listSealDeltas({ day: DAY }, as)).deltas)).toEqual([first, ...rest]);
    const after = await ledger.listSealDeltas({ day: DAY, startingAfter: first }, as);
    expect(idsOf(after.deltas)).toEqual(rest);
  });

  test("keeps that order between those that came and those that went in one second", async () => {
    const second = payments(4, { createdAt: START }).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const [a, b, c, d] = second as [BulkPayment, BulkPayment, BulkPayment, BulkPayment];
    const merchant = await keeper.sealedWith([a, c]);
    await keeper.insert(merchant, [b, d]);
    await keeper.rows.run("DELETE FROM test.payment WHERE id = $1", [c.id]);
    const { deltas } = await merchant.ledger.listSealDeltas({ day: DAY }, merchant.as);
    expect(idsOf(deltas)).toEqual([b.id, c.id, d.id]);
  });

  test("is listed a hundred at a time where no limit is given, and shown a hundred by the check, which counts all", async () => {
    const merchant = await keeper.sealedWith([]);
    const { ledger, as } = merchant;
    const given = payments(101);
    await keeper.insert(merchant, given);
    const ids = given.map(({ id }) => id);
    const { deltas, hasMore, nextCursor = "" } = await ledger.listSealDeltas({ day: DAY }, as);
    expect([idsOf(deltas), hasMore]).toEqual([ids.slice(0, 100), true]);
    const last = await ledger.listSealDeltas({ day: DAY, cursor: nextCursor }, as);
    expect([idsOf(last.deltas), last.hasMore, last.nextCursor]).toEqual([ids.slice(100), false, undefined]);
    const verified = await ledger.verifySeal({ day: DAY }, as);
    expect([idsOf(verified.deltas), verified.deltaCount]).toEqual([ids.slice(0, 100), 101n]);
  });

  test("has no next page after exactly as many as the limit", async () => {
    const given = payments(3);
    const { ledger, as } = await keeper.sealedWith(given);
    await keeper.change(given);
    const all = await ledger.listSealDeltas({ day: DAY, limit: 3 }, as);
    expect([all.deltas.length, all.hasMore, all.nextCursor]).toEqual([3, false, undefined]);
    const two = await ledger.listSealDeltas({ day: DAY, limit: 2 }, as);
    expect([two.deltas.length, two.hasMore]).toEqual([2, true]);
    expect(two.nextCursor).toBe(`${END.getTime() / 1000 - 120}.${given[1]?.id}.0`);
  });

  test("is in the audit log under the token that listed it, as the seal is under the one that made it", async () => {
    const merchant = await keeper.newMerchant();
    const given = payments(2);
    await keeper.insert(merchant, given);
    const { token } = await createClient(IdentityService, keeper.service.core.transport).createCoreToken(
      { name: "team", permissions: ["ledger:write"] },
      keeper.service.internal,
    );
    const as = { headers: { ...merchant.as.headers, authorization: `Bearer ${token}` } };
    await merchant.ledger.sealDay({ day: DAY }, as);
    await keeper.change(given);
    await merchant.ledger.listSealDeltas({ day: DAY }, as);
    await merchant.ledger.listSealedRows({ day: DAY }, as);
    const entries = await auditEntries(keeper.service, merchant.tenant.id);
    const own = entries.filter(({ action }) => /Seal/.test(action)).toReversed();
    expect(own).toMatchObject([
      { action: "SealDay", objectId: DAY, mode: Mode.TEST, details: { day: DAY } },
      { action: "ListSealDeltas", objectId: DAY, details: { day: DAY, row_count: 2 } },
      { action: "ListSealedRows", objectId: DAY, details: { day: DAY, row_count: 2 } },
    ]);
  });
});
