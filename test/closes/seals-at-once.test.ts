import { createClient } from "@connectrpc/connect";
import pg from "pg";
import { expect, test } from "vitest";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { forFile } from "../support/for-file.ts";
import { secondService } from "../support/service.ts";
import { DAY, SealKeeper } from "./seal-keeper.ts";

const keeper = await forFile(SealKeeper.start());
const { service, rows } = keeper;

/** Runs work while a seal that has read its payments cannot write them. */
async function whileSealsWait(work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query("BEGIN; LOCK TABLE test.sealed_rows IN EXCLUSIVE MODE");
    await work();
  } finally {
    await client.end();
  }
}

const waitingFor = async (lock: string): Promise<number> =>
  await rows.count(
    `pg_locks WHERE NOT granted AND locktype = $1 AND database = (SELECT oid FROM pg_database
    WHERE datname = current_database())`,
    [lock],
  );

test("seals of one tenant have one connection, and leave the others to other tenants", async () => {
  const { ledger, as } = await keeper.merchantWith(40);
  const other = await keeper.newMerchant();
  const sealing: Promise<{ isNew: boolean }>[] = [];
  await whileSealsWait(async () => {
    for (let count = 0; count < 16; count++) sealing.push(ledger.sealDay({ day: DAY }, as));
    await expect.poll(async () => await waitingFor("relation")).toBe(1);
    expect(await other.ledger.listSeals({ from: DAY, to: DAY }, other.as)).toMatchObject({ seals: [] });
    expect(await waitingFor("relation")).toBe(1);
  });
  expect((await Promise.all(sealing)).filter(({ isNew }) => isNew)).toHaveLength(1);
});

test("a seal in another process waits for the first one, and reads no payment", async () => {
  const { ledger, as } = await keeper.merchantWith(40);
  const second = await secondService(service);
  const there = createClient(LedgerService, second.core.transport);
  const sealing: Promise<{ isNew: boolean }>[] = [];
  await whileSealsWait(async () => {
    for (const one of [ledger, there]) sealing.push(one.sealDay({ day: DAY }, as));
    await expect.poll(async () => await waitingFor("advisory")).toBe(1);
    expect(await waitingFor("relation")).toBe(1);
  });
  const seals = await Promise.all(sealing);
  expect(seals.filter(({ isNew }) => isNew)).toHaveLength(1);
  await second.close();
});
