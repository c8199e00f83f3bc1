import { describe, expect, test } from "vitest";
import { SealDeltaKind } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { KeptSum } from "../../src/closes/entities.ts";
import { headSha256 } from "../../src/closes/seal-head.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import { DAY, END, SealKeeper, sealedLines, START } from "./seal-keeper.ts";

const keeper = await forFile(SealKeeper.start());
const { service, rows } = keeper;

describe("what changes after the seal", () => {
  test("is listed with both rows, and the sealed ones stay", async () => {
    const merchant = await keeper.newMerchant();
    const { ledger, as, tenant } = merchant;
    const before = new Date(service.clock.nowMs());
    service.clock.set(new Date("2026-03-02T15:00:00Z"));
    // Pending when the day is sealed, as a checkout leaves it; the sandbox's payer pays the next day.
    const linkId = await merchant.newLink({ expires_in: 0 });
    const pending = randomPayments(1, START, END, 7).map((payment) => ({
      ...payment,
      status: "pending" as const,
      failureCode: null,
      updatedAt: null,
      linkId,
    }));
    const untouched = { updatedAt: null };
    const gone = randomPayments(2, START, END).map((payment) => ({ ...payment, ...untouched }));
    await insertPayments(rows, tenant.id, [...pending, ...gone]);
    service.clock.set(new Date("2026-03-03T12:00:00Z"));
    const sealed = await ledger.sealDay({ day: DAY }, as);
    const lines = await sealedLines(merchant);

    service.clock.set(new Date("2026-03-03T13:00:00Z"));
    const [{ id: pendingId } = { id: "" }] = pending;
    await rows.run(
      `UPDATE test.payment SET status = 'succeeded', updated_at = '2026-03-03T13:00:00Z' WHERE id = $1`,
      [pendingId],
    );
    const late = randomPayments(1, START, END).map((payment) => ({ ...payment, ...untouched }));
    await insertPayments(rows, tenant.id, late);
    await rows.run(`DELETE FROM test.payment WHERE id = $1`, [gone[0]?.id]);

    const { deltas } = await ledger.listSealDeltas({ day: DAY }, as);
    const listed = deltas.map(({ paymentId, kind, sealedRow, currentRow }) => [
      paymentId,
      kind,
      sealedRow === undefined ? null : (JSON.parse(sealedRow) as { status: string }).status,
      currentRow === undefined ? null : (JSON.parse(currentRow) as { status: string }).status,
    ]);
    const expected = [
      [pendingId, SealDeltaKind.CHANGED, "pending", "succeeded"],
      [late[0]?.id, SealDeltaKind.NEW, null, late[0]?.status],
      [gone[0]?.id, SealDeltaKind.GONE, gone[0]?.status, null],
    ];
    expect(listed).toHaveLength(expected.length);
    expect(listed).toEqual(expect.arrayContaining(expected));
    for (const { paymentId, currentRow } of deltas) {
      if (currentRow === undefined) continue;
      expect((await merchant.api.get(`/v1/payments/${paymentId}`)).text).toBe(currentRow);
    }
    const [first, ...rest] = deltas;
    const page = await ledger.listSealDeltas({ day: DAY, limit: 1 }, as);
    expect(page).toMatchObject({ deltas: [first], hasMore: true });
    const next = await ledger.listSealDeltas({ day: DAY, startingAfter: first?.paymentId ?? "" }, as);
    expect(next).toMatchObject({ deltas: rest, hasMore: false });

    // A payment that is gone, and one that is as it was sealed, are places in the order too.
    const [goneId, sameId] = gone.map(({ id }) => id);
    const order = [...late, ...pending, ...gone]
      .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);
    for (const startingAfter of [goneId ?? "", sameId ?? ""]) {
      const after = await ledger.listSealDeltas({ day: DAY, startingAfter }, as);
      const begin = order.indexOf(startingAfter);
      expect(after.deltas).toEqual(deltas.filter(({ paymentId }) => order.indexOf(paymentId) > begin));
    }

    expect(await sealedLines(merchant)).toBe(lines);
    const { seal: _, ...verified } = await ledger.verifySeal({ day: DAY }, as);
    expect(verified).toMatchObject({ isIntact: true, rowsSha256: sealed.seal?.rowsSha256, deltaCount: 3n });
    expect(verified.deltas).toEqual(deltas);
    const { seals } = await ledger.listSeals({ from: DAY, to: DAY }, as);
    expect(seals.map(({ changedCount }) => changedCount)).toEqual([3n]);
    service.clock.set(before);
  });

  test("is counted in the list of seals, each kind by itself", async () => {
    const { ledger, as, tenant } = await keeper.merchantWith(9);
    await ledger.sealDay({ day: DAY }, as);
    const changedCounts = async () => {
      const { seals } = await ledger.listSeals({ from: "2026-03-01", to: "2026-03-31" }, as);
      return seals.map(({ changedCount }) => changedCount);
    };
    const ids = await rows.read(
      `SELECT id FROM test.payment WHERE tenant_id = $1 AND created_at BETWEEN $2 AND $3 ORDER BY id`,
      [tenant.id, START, new Date(END.getTime() - 1)],
    );
    expect(await changedCounts()).toEqual([0n]);
    // One came and one went: as many as before.
    await insertPayments(rows, tenant.id, randomPayments(1, START, END));
    await rows.run("DELETE FROM test.payment WHERE id = $1", [ids[0]?.["id"]]);
    expect(await changedCounts()).toEqual([2n]);
    // In the very second of the seal.
    await rows.run(
      `UPDATE test.payment SET status = CASE status WHEN 'expired' THEN 'pending' ELSE 'expired' END,
        failure_code = NULL, updated_at = '2026-03-05T12:00:00Z' WHERE id = $1`,
      [ids[1]?.["id"]],
    );
    expect(await changedCounts()).toEqual([3n]);
    expect((await ledger.listSealDeltas({ day: DAY }, as)).deltas).toHaveLength(3);
  });

  test("is listed in pages, each from where the last ended, though that payment changed", async () => {
    const { ledger, as, tenant } = await keeper.merchantWith(1100);
    await ledger.sealDay({ day: DAY }, as);
    await rows.run(
      `UPDATE test.payment SET reference = 'changed', updated_at = '2026-03-06T12:00:00Z'
        WHERE tenant_id = $1 AND created_at >= $2 AND created_at < $3`,
      [tenant.id, START, END],
    );
    const late = randomPayments(3, START, END);
    await insertPayments(rows, tenant.id, late);
    const pages = async (limit: number, cursor: string | undefined): Promise<string[]> => {
      const page = await ledger.listSealDeltas(
        { day: DAY, limit, ...(cursor === undefined ? {} : { cursor }) },
        as,
      );
      const ids = page.deltas.map(({ paymentId }) => paymentId);
      expect(page.hasMore).toBe(page.nextCursor !== undefined);
      return page.nextCursor === undefined ? ids : [...ids, ...(await pages(limit, page.nextCursor))];
    };
    const all = await pages(500, undefined);
    expect(new Set(all).size).toBe(1103);
    expect(await pages(130, undefined)).toEqual(all);

    const { deltas, nextCursor = "" } = await ledger.listSealDeltas({ day: DAY, limit: 500 }, as);
    const [first, last] = [deltas.at(-2)?.paymentId ?? "", deltas.at(-1)?.paymentId ?? ""];
    // The payment that the cursor is after is not there any more, nor the one before.
    await rows.run("DELETE FROM test.payment WHERE id IN ($1, $2)", [first, last]);
    expect(await pages(500, nextCursor)).toEqual(all.slice(500));
    for (const cursor of ["pay_x", "1.pay_1.7", `${nextCursor}1`]) {
      expect(await refusalOf(ledger.listSealDeltas({ day: DAY, cursor }, as))).toMatchObject({
        code: "invalid_request",
        param: "cursor",
      });
    }
  });

  test("is not read again from the day's first row for a later page", async () => {
    const { ledger, as, tenant } = await keeper.merchantWith(1100);
    await ledger.sealDay({ day: DAY }, as);
    await rows.run(`UPDATE test.payment SET reference = 'changed' WHERE tenant_id = $1`, [tenant.id]);
    const begin = await ledger.listSealDeltas({ day: DAY, limit: 500 }, as);
    const middle = await ledger.listSealDeltas({ day: DAY, limit: 200, cursor: begin.nextCursor ?? "" }, as);
    const cursor = middle.nextCursor ?? "";
    const end = await ledger.listSealDeltas({ day: DAY, limit: 500, cursor }, as);
    expect(end.deltas).toHaveLength(400);
    // A reader of the first rows now finds nothing that can be read.
    await keeper.tamper(`UPDATE test.sealed_rows SET bytes = 'x' WHERE position = 0`, tenant.id);
    expect(await ledger.listSealDeltas({ day: DAY, limit: 500, cursor }, as)).toEqual(end);
    const startingAfter = middle.deltas.at(-1)?.paymentId ?? "";
    expect(await ledger.listSealDeltas({ day: DAY, limit: 500, startingAfter }, as)).toEqual(end);
  });

  test("in the rows themselves breaks the hash", async () => {
    const { ledger, as, tenant } = await keeper.merchantWith(5);
    const { seal } = await ledger.sealDay({ day: DAY }, as);
    await keeper.tamper(`UPDATE test.sealed_rows SET bytes = set_byte(bytes, 0, 0)`, tenant.id);
    const verified = await ledger.verifySeal({ day: DAY }, as);
    expect(verified).toMatchObject({ isIntact: false, rowCount: 5n, deltaCount: 0n, deltas: [] });
    expect(verified.rowsSha256).not.toBe(seal?.rowsSha256);
  });

  test.each([
    ["sums", `regexp_replace(sums::text, '"netMinor":"', '"netMinor":"1')::json`],
    ["sums", `'[]'`],
    ["byte_count", "byte_count + 1"],
    ["payment_count", "payment_count + 1"],
    ["format_version", "1"],
    ["sealed_by", "'usr_other'"],
    ["sealed_at", "sealed_at + interval '1 second'"],
    ["head_sha256", "repeat('0', 64)"],
  ])("in the seal's %s (%s) breaks the seal, though the rows are whole", async (column, value) => {
    const { ledger, as, tenant } = await keeper.merchantWith(5);
    const { seal } = await ledger.sealDay({ day: DAY }, as);
    expect(await ledger.verifySeal({ day: DAY }, as)).toMatchObject({ isIntact: true });
    await keeper.tamper(`UPDATE test.day_seal SET ${column} = ${value}`, tenant.id);
    expect(await ledger.verifySeal({ day: DAY }, as)).toMatchObject({
      isIntact: false,
      rowsSha256: seal?.rowsSha256,
      rowCount: 5n,
      deltaCount: 0n,
      deltas: [],
    });
    expect(await refusalOf(ledger.listSealDeltas({ day: DAY }, as))).toMatchObject({
      status: "FailedPrecondition",
      code: "seal_broken",
    });
  });

  test("in what is kept beside the rows breaks the seal", async () => {
    const { ledger, as, tenant } = await keeper.merchantWith(5);
    await ledger.sealDay({ day: DAY }, as);
    await keeper.tamper(`UPDATE test.sealed_rows SET states[1] = states[2]`, tenant.id);
    expect(await ledger.verifySeal({ day: DAY }, as)).toMatchObject({ isIntact: false });
  });

  test("in figures is found by the rows, even where the hash of the head was made anew", async () => {
    const { ledger, as, tenant } = await keeper.merchantWith(5);
    await ledger.sealDay({ day: DAY }, as);
    const sql = `regexp_replace(sums::text, '"netMinor":"', '"netMinor":"1')::json`;
    await keeper.tamper(`UPDATE test.day_seal SET sums = ${sql}`, tenant.id);
    const { seal } = await ledger.getSeal({ day: DAY }, as);
    const kept = await rows.read("SELECT sums FROM test.day_seal WHERE tenant_id = $1", [tenant.id]);
    const head = headSha256("test", {
      tenantId: tenant.id,
      day: DAY,
      formatVersion: 3,
      paymentCount: 5n,
      byteCount: seal?.byteCount ?? 0n,
      rowsSha256: seal?.rowsSha256 ?? "",
      sums: (kept[0]?.["sums"] ?? []) as KeptSum[],
      sealedBy: null,
      sealedAt: new Date("2026-03-05T12:00:00Z"),
    });
    await keeper.tamper(`UPDATE test.day_seal SET head_sha256 = '${head}'`, tenant.id);
    expect(await ledger.verifySeal({ day: DAY }, as)).toMatchObject({ isIntact: false });
  });
});
