import { afterAll, expect, test } from "vitest";
import { DaySeal, SealedRows, type DaySealRow } from "../../src/closes/entities.ts";
import { sealDeltas } from "../../src/closes/seal-deltas.ts";
import { sealDay, type WritePayment } from "../../src/closes/sealing.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { PerTurn } from "../support/event-loop.ts";
import { forFile } from "../support/for-file.ts";
import type { Merchant } from "../support/merchant.ts";
import { DAY, payments, SealKeeper } from "./seal-keeper.ts";

// As large as a payment with all the metadata that it may have.
const ROW_CHARACTERS = 60_000;
const ROWS = 120;
// A chunk of a seal is of 1 MiB.
const AT_ONCE_MAX = 1.25 * 1024 * 1024;

const keeper = await forFile(SealKeeper.start());
const environment = await openEnvironment({
  url: keeper.service.databaseUrl,
  schema: "test",
  entities: [DaySeal, SealedRows],
  poolMax: 4,
});
afterAll(async () => await environment.orm.close());

/** Writes large rows, and counts what it writes. */
function largeRows(written: PerTurn): WritePayment {
  return ({ id, createdAt }) => {
    written.add(ROW_CHARACTERS);
    return JSON.stringify({
      id,
      created_at: Number(createdAt?.seconds),
      padding: "x".repeat(ROW_CHARACTERS),
    });
  };
}

async function seal({ tenant }: Merchant, write: WritePayment): Promise<DaySealRow> {
  const request = {
    mode: "test",
    tenantId: tenant.id,
    day: DAY,
    sealedBy: null,
    audit: undefined,
    tenantSince: new Date("2026-02-01T12:00:00Z"),
  } as const;
  return (await sealDay(environment, keeper.service.clock, write, request)).seal;
}

test("a day of large rows is sealed in parts, so that others have their turns", async () => {
  const merchant = await keeper.newMerchant();
  await keeper.insert(merchant, payments(ROWS));
  const written = new PerTurn();
  const sealed = await seal(merchant, largeRows(written));
  expect(sealed.paymentCount).toBe(BigInt(ROWS));
  expect(written.most).toBeLessThan(AT_ONCE_MAX);
  expect(await Array.fromAsync(sealDeltas(environment, sealed, largeRows(new PerTurn())))).toEqual([]);
});

test("so is a sealed day compared with large rows that came later", async () => {
  const merchant = await keeper.newMerchant();
  const written = new PerTurn();
  const sealed = await seal(merchant, largeRows(new PerTurn()));
  await keeper.insert(merchant, payments(ROWS));
  const deltas = await Array.fromAsync(sealDeltas(environment, sealed, largeRows(written)));
  expect(deltas.map(({ kind }) => kind)).toEqual(Array.from({ length: ROWS }, () => "new"));
  expect(written.most).toBeLessThan(AT_ONCE_MAX);
});
