import { createClient } from "@connectrpc/connect";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LedgerService, type PaymentSum } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { forFile } from "../support/for-file.ts";
import { listedLines } from "../support/listed-lines.ts";
import { createMerchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { times } from "../support/scale.ts";
import { secondService } from "../support/service.ts";
import { DAY, SealKeeper, sealedLines } from "./seal-keeper.ts";

const COUNT = times(2400, 1100);

const keeper = await forFile(SealKeeper.start());
const { service, rows } = keeper;

const withoutReturns = (sums: readonly PaymentSum[]) =>
  sums.map((sum) => Object.fromEntries(Object.entries(sum).filter(([name]) => name !== "refundedAmount")));

describe("a day that is sealed", () => {
  test("keeps the rows of GET /v1/payments byte for byte, with their hash and sums", async () => {
    const merchant = await keeper.merchantWith(COUNT);
    const { ledger, as } = merchant;
    const actor = { headers: { ...as.headers, "paylink-actor": "usr_somebody" } };
    const { seal, isNew } = await ledger.sealDay({ day: DAY }, actor);
    const lines = await sealedLines(merchant);
    expect(lines).toBe(await listedLines(merchant, DAY, DAY));
    const filter = { from: DAY, to: DAY };
    const { sums, totals } = await ledger.summarizePayments({ filter }, as);
    expect(isNew).toBe(true);
    expect(seal).toMatchObject({
      day: DAY,
      formatVersion: 3,
      paymentCount: BigInt(COUNT),
      byteCount: BigInt(Buffer.byteLength(lines)),
      rowsSha256: createHash("sha256").update(lines).digest("hex"),
      // What went back later is no part of a seal.
      sums: withoutReturns(sums),
      totals: withoutReturns(totals),
      sealedBy: "usr_somebody",
    });
    expect(await ledger.getSeal({ day: DAY }, as)).toMatchObject({ seal });
    // Sealed once and for all.
    expect(await ledger.sealDay({ day: DAY }, as)).toMatchObject({ seal, isNew: false });
    const { seals } = await ledger.listSeals({ from: "2026-03-01", to: "2026-03-31" }, as);
    expect(seals).toMatchObject([{ seal, changedCount: 0n }]);
    expect(await ledger.verifySeal({ day: DAY }, as)).toMatchObject({
      isIntact: true,
      rowsSha256: seal?.rowsSha256,
      rowCount: BigInt(COUNT),
      deltaCount: 0n,
    });
  });

  test("may be empty", async () => {
    const { ledger, as } = await keeper.newMerchant();
    const { seal } = await ledger.sealDay({ day: DAY }, as);
    expect(seal).toMatchObject({ paymentCount: 0n, byteCount: 0n, sums: [] });
    expect(seal?.sealedBy).toBeUndefined();
    expect(seal?.rowsSha256).toBe(createHash("sha256").digest("hex"));
    expect(await ledger.listSealedRows({ day: DAY }, as)).toMatchObject({ nextPosition: 0n, hasMore: false });
    expect(await ledger.verifySeal({ day: DAY }, as)).toMatchObject({ isIntact: true, deltaCount: 0n });
  });

  test("is sealed once when many seal it at the same time, in several processes", async () => {
    const { tenant, ledger, as } = await keeper.merchantWith(700);
    const second = await secondService(service);
    const other = createClient(LedgerService, second.core.transport);
    const answers = await Promise.all(
      [ledger, other, ledger, other, ledger, other].map((client) => client.sealDay({ day: DAY }, as)),
    );
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(answers.map(({ seal }) => JSON.stringify(seal, (_, item) => String(item)))).size).toBe(1);
    expect(await rows.count("test.day_seal WHERE tenant_id = $1", [tenant.id])).toBe(1);
    expect(await ledger.verifySeal({ day: DAY }, as)).toMatchObject({ isIntact: true });
    await second.close();
  });

  test("is sealed with nothing or with everything: a commit that fails leaves no row", async () => {
    const { tenant, ledger, as } = await keeper.merchantWith(600);
    // The seal's own row is the last one: what refuses it undoes all rows before it.
    await rows.run(`ALTER TABLE test.day_seal ADD CONSTRAINT refused CHECK (tenant_id <> '${tenant.id}')`);
    await expect(ledger.sealDay({ day: DAY }, as)).rejects.toThrow("internal error");
    expect(service.faults.splice(0)).toMatchObject([{ err: { constraint: "refused" } }]);
    const where = "WHERE tenant_id = $1";
    expect(await rows.count(`test.sealed_rows ${where}`, [tenant.id])).toBe(0);
    await rows.run(`ALTER TABLE test.day_seal DROP CONSTRAINT refused`);
    expect((await ledger.sealDay({ day: DAY }, as)).isNew).toBe(true);
    expect(await rows.count(`test.sealed_rows ${where}`, [tenant.id])).toBeGreaterThan(1);
  });
});

test("a day can be sealed from a minute after its end in São Paulo on", async () => {
  const { ledger, as } = await keeper.newMerchant();
  const before = new Date(service.clock.nowMs());
  try {
    for (const day of ["2026-03-05", "2026-03-06", "2027-01-01"]) {
      expect(await refusalOf(ledger.sealDay({ day }, as))).toMatchObject({
        status: "FailedPrecondition",
        code: "day_not_ended",
        param: "day",
      });
    }
    service.clock.set(new Date("2026-03-06T03:00:55Z"));
    expect(await refusalOf(ledger.sealDay({ day: "2026-03-05" }, as))).toMatchObject({
      code: "day_not_ended",
    });
    service.clock.set(new Date("2026-03-06T03:01:00Z"));
    expect((await ledger.sealDay({ day: "2026-03-05" }, as)).isNew).toBe(true);
    expect(await refusalOf(ledger.sealDay({ day: "2026-02-30" }, as))).toMatchObject({
      code: "invalid_request",
      param: "day",
    });
  } finally {
    service.clock.set(before);
  }
});

describe("a seal is unknown to", () => {
  test("another tenant and the other mode, in every RPC", async () => {
    const merchant = await keeper.merchantWith(3);
    const other = await keeper.newMerchant();
    await merchant.ledger.sealDay({ day: DAY }, merchant.as);
    const live = { headers: { ...merchant.as.headers, "paylink-mode": "live" } };
    for (const as of [other.as, live]) {
      const { ledger } = merchant;
      for (const call of [
        () => ledger.getSeal({ day: DAY }, as),
        () => ledger.listSealedRows({ day: DAY }, as),
        () => ledger.verifySeal({ day: DAY }, as),
        () => ledger.listSealDeltas({ day: DAY }, as),
      ]) {
        expect(await refusalOf(call())).toMatchObject({ status: "NotFound", code: "seal_not_found" });
      }
      expect((await ledger.listSeals({ from: DAY, to: DAY }, as)).seals).toEqual([]);
    }
  });

  test("another position than an answer gave; that, and a cursor that is no delta, are refused", async () => {
    const { ledger, as } = await keeper.merchantWith(3);
    await ledger.sealDay({ day: DAY }, as);
    expect(await refusalOf(ledger.listSealedRows({ day: DAY, position: 1n }, as))).toMatchObject({
      code: "invalid_request",
      param: "position",
    });
    expect(await refusalOf(ledger.listSealDeltas({ day: DAY, startingAfter: "pay_x" }, as))).toMatchObject({
      code: "invalid_request",
      param: "starting_after",
    });
    expect(await refusalOf(ledger.listSeals({ from: "2026-01-01", to: "2027-06-01" }, as))).toMatchObject({
      code: "invalid_request",
      param: "to",
    });
  });
});

describe("the database refuses", () => {
  test.each(["day_seal", "sealed_rows"])("UPDATE, DELETE and TRUNCATE of %s", async (table) => {
    const { ledger, as, tenant } = await keeper.merchantWith(3);
    await ledger.sealDay({ day: DAY }, as);
    const refused = /(day_seal|sealed_rows) is append-only/;
    await expect(
      rows.run(`UPDATE test.${table} SET day = day WHERE tenant_id = $1`, [tenant.id]),
    ).rejects.toThrow(refused);
    await expect(rows.run(`DELETE FROM test.${table} WHERE tenant_id = $1`, [tenant.id])).rejects.toThrow(
      refused,
    );
    for (const schema of ["test", "live"]) {
      await expect(rows.run(`TRUNCATE ${schema}.${table} CASCADE`)).rejects.toThrow(refused);
    }
  });
});

test("a day before the tenant's first one is refused; the first one, and a day with older payments, can be sealed", async () => {
  const { ledger, as, tenant } = await createMerchant(service);
  await rows.run("UPDATE identity.tenant SET created_at = '2026-03-02T12:00:00Z' WHERE id = $1", [tenant.id]);
  for (const day of ["0001-01-01", "2026-03-01"]) {
    expect(await refusalOf(ledger.sealDay({ day }, as))).toMatchObject({
      status: "InvalidArgument",
      code: "invalid_request",
      param: "day",
      message: "day must not be before the tenant's first day, which is 2026-03-02.",
    });
  }
  expect((await ledger.sealDay({ day: "2026-03-02" }, as)).isNew).toBe(true);
  const [older] = randomPayments(1, new Date("2026-02-20T12:00:00Z"), new Date("2026-02-20T13:00:00Z"));
  if (!older) throw new Error("no payment");
  await insertPayments(rows, tenant.id, [older]);
  expect((await ledger.sealDay({ day: "2026-03-01" }, as)).isNew).toBe(true);
  expect(await refusalOf(ledger.sealDay({ day: "2026-02-19" }, as))).toMatchObject({ param: "day" });
});
