import pg from "pg";
import { expect, inject, test } from "vitest";
import { judgeReplica, lookAtReplica } from "../../cli/operate/doctor/replica.ts";
import { DATABASE, TEMPLATE } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { ReplicatedDatabase } from "../support/replicated-database.ts";
import { startServiceOn } from "../support/service.ts";

const LAG_MS = 8000;
const PERIOD = { from: "2000-01-01", to: "2079-12-31" };
const WAIT = { timeout: 60_000 };

const databases = await forFile(ReplicatedDatabase.start());
const replica = { url: databases.replicaUrl, lagMsMax: LAG_MS };
const service = await forFile(startServiceOn(databases.url, "direct", { replica }));
const merchant = await createMerchant(service);

const isUsed = () => service.core.replicaStanding()?.isUsed;
const search = async (cursor = {}) =>
  (await merchant.ledger.searchPayments({ filter: PERIOD, limit: 100, ...cursor }, merchant.as)).payments.map(
    ({ id }) => id,
  );
const sum = async () =>
  (await merchant.ledger.summarizePayments({ filter: PERIOD }, merchant.as)).paymentCount;
const pay = async (): Promise<string> => (await merchant.pay()).body.id;

async function examined(url: string) {
  const primary = new pg.Client({ connectionString: databases.url });
  await primary.connect();
  try {
    return judgeReplica(await lookAtReplica({ url, lagMsMax: LAG_MS }, primary), LAG_MS);
  } finally {
    await primary.end();
  }
}

test("a replica that is near enough answers searches and sums; beyond the bound the primary does", async () => {
  const first = await pay();
  await expect.poll(isUsed, WAIT).toBe(true);
  await expect.poll(() => search(), WAIT).toEqual([first]);
  await databases.setReplay(false);
  const second = await pay();
  expect(await search()).toEqual([first]);
  expect(await sum()).toBe(1n);
  // What a merchant's program reads is the primary's.
  const { body } = await merchant.api.get(`/v1/payments?from=${PERIOD.from}&to=${PERIOD.to}`);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([second, first]);
  // A page after a payment that the replica has not got yet is the primary's too.
  expect(await search({ startingAfter: second })).toEqual([first]);
  await expect.poll(isUsed, WAIT).toBe(false);
  expect(service.core.replicaStanding()?.lagMs).toBeGreaterThan(LAG_MS);
  expect(await search()).toEqual([second, first]);
  expect(await examined(databases.replicaUrl)).toMatchObject({
    status: "warning",
    found: expect.stringContaining("lacks what"),
  });
  await databases.setReplay(true);
  await expect.poll(isUsed, WAIT).toBe(true);
  expect(await search()).toEqual([second, first]);
  expect(await sum()).toBe(2n);
  expect(await examined(databases.replicaUrl)).toMatchObject({ status: "ok" });
});

test("a server that is no replica of the database is not used, and doctor says so", async () => {
  const other = inject("cluster").replace(DATABASE, TEMPLATE);
  expect(await examined(other)).toMatchObject({
    status: "problem",
    found: expect.stringContaining("no replica"),
  });
  expect(await examined(databases.url)).toMatchObject({
    status: "problem",
    found: expect.stringContaining("no replica"),
  });
});

test("when the replica is gone, the primary answers at once", async () => {
  await expect.poll(isUsed, WAIT).toBe(true);
  await databases.replica.stop();
  expect(await search()).toHaveLength(2);
  await expect.poll(() => service.core.replicaStanding(), WAIT).toEqual({ lagMs: undefined, isUsed: false });
  expect(await examined(databases.replicaUrl)).toMatchObject({ status: "warning" });
});
