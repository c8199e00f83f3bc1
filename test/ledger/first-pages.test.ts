import { expect, test } from "vitest";
import pg from "pg";
import { Api } from "../support/api.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const TODAY = "from=2020-01-01&to=2099-12-31";

async function pageOf({ api }: Pick<Merchant, "api">, limit = 100) {
  const { status, body, text } = await api.get(`/v1/payments?${TODAY}&limit=${limit}`);
  expect(status).toBe(200);
  return { data: body.data as { id: string }[], text };
}

/** The payments of the page, each as it is read alone. */
async function alone({ api }: Merchant, data: readonly { id: string }[]) {
  return await Promise.all(data.map(async ({ id }) => (await api.get(`/v1/payments/${id}`)).body));
}

test("a page that is read again shows each payment as it is by then, and those made meanwhile", async () => {
  const merchant = await createMerchant(service);
  const ids: string[] = [];
  for (let count = 0; count < 6; count++) ids.push((await merchant.pay()).body.id);
  const before = await pageOf(merchant);
  expect(before.data.map(({ id }) => id)).toEqual(ids.toReversed());
  expect((await pageOf(merchant)).text).toBe(before.text);

  const refunded = await merchant.api.post(`/v1/payments/${ids[2]}/refunds`, { amount: 500 });
  expect(refunded.status).toBe(201);
  await expect
    .poll(async () => (await pageOf(merchant)).data[3], { timeout: 30_000 })
    .toMatchObject({ id: ids[2], refunded_amount: 500 });
  const later = (await merchant.pay({ metadata: { text: "x".repeat(3000) } })).body.id;

  const after = await pageOf(merchant);
  expect(after.data.map(({ id }) => id)).toEqual([...ids, later].toReversed());
  expect(after.data).toEqual(await alone(merchant, after.data));
  expect((await pageOf(merchant)).text).toBe(after.text);
  expect((await pageOf(merchant, 2)).data).toEqual(after.data.slice(0, 2));
});

test("pages of more payments than are remembered of a tenant are whole, again and again", async () => {
  const merchant = await createMerchant(service);
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const [from, until] = [new Date("2026-03-01T03:00:00Z"), new Date("2026-03-31T03:00:00Z")];
  await insertPayments(rows, merchant.tenant.id, randomPayments(300, from, until));
  await rows.close();
  const ranges = [
    "from=2026-03-01&to=2026-03-10",
    "from=2026-03-11&to=2026-03-20",
    "from=2026-03-05&to=2026-03-31",
  ];
  for (const range of [...ranges, ...ranges]) {
    const { body: page } = await merchant.api.get(`/v1/payments?${range}&limit=70`);
    expect(page.data.length).toBeGreaterThan(50);
    expect(page.data).toEqual(await alone(merchant, page.data));
  }
});

test("a page is a tenant's own, in a mode of its own", async () => {
  const [first, second] = [await createMerchant(service), await createMerchant(service)];
  const own = (await first.pay()).body.id;
  const live = new Api(service, first.tenant.liveKey);
  for (let count = 0; count < 2; count++) {
    expect((await pageOf(first)).data).toMatchObject([{ id: own }]);
    expect((await pageOf(second)).data).toEqual([]);
    expect((await pageOf({ api: live })).data).toEqual([]);
  }
});

test("a page that is read again asks for the versions of rows, and reads no price", async () => {
  const merchant = await createMerchant(service);
  await merchant.pay();
  await pageOf(merchant);
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  // Readers of prices would wait for this lock.
  await client.query("BEGIN; LOCK TABLE test.price IN ACCESS EXCLUSIVE MODE");
  const again = await pageOf(merchant);
  await client.query("ROLLBACK");
  await client.end();
  expect(again.data).toHaveLength(1);
  expect(again.data).toEqual(await alone(merchant, again.data));
});
