import { beforeAll, expect, test } from "vitest";
import type { Random } from "../../tools/drills/random.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { randomFor } from "../support/seed.ts";
import { startService } from "../support/service.ts";
import { balancesOf, checkLedger } from "./book-keeper.ts";

const MODES = ["test", "live"] as const;
const CURRENCIES = ["BRL", "USD"] as const;
const ACCOUNTS = ["provider_clearing", "merchant_payable", "revenue.service", "merchant_available"] as const;
const WRITERS = 4;
const ENTRIES = 60;
const CHECK_SECONDS = 4000;

type Mode = (typeof MODES)[number];
type Sums = Record<string, [debit: bigint, credit: bigint]>;

const service = await forFile(startService());
const open = async () => await forFile(new DatabaseRows(service.databaseUrl).open());
const rows = await open();
const { sumLines } = service.core.tasks;

/** Without references and the rules of an entry, but with the trigger of the sums. */
async function freely(): Promise<DatabaseRows> {
  const writer = await open();
  await writer.run("SET session_replication_role = replica");
  return writer;
}
beforeAll(async () => {
  for (const mode of MODES)
    await rows.run(`ALTER TABLE ${mode}.ledger_line ENABLE ALWAYS TRIGGER ledger_line_unsummed`);
});

const asOf = ({ ledger, as }: Merchant, mode: Mode): Pick<Merchant, "ledger" | "as"> => ({
  ledger,
  as: { headers: { ...as.headers, "paylink-mode": mode } },
});

/** The sums of all lines of a tenant. */
async function model({ tenant }: Merchant, mode: Mode = "test"): Promise<Sums> {
  const found = await rows.read(
    `SELECT concat(account, ':', currency) AS name, sum(debit_minor) AS debit, sum(credit_minor) AS credit
      FROM ${mode}.ledger_line WHERE tenant_id = $1 GROUP BY account, currency ORDER BY currency, account`,
    [tenant.id],
  );
  return Object.fromEntries(
    found.map(({ name, debit, credit }) => [String(name), [BigInt(String(debit)), BigInt(String(credit))]]),
  );
}

const unsummed = async ({ tenant }: Merchant, mode: Mode = "test"): Promise<number> =>
  await rows.count(`${mode}.ledger_unsummed WHERE tenant_id = $1`, [tenant.id]);
const wrongSums = async ({ tenant }: Merchant): Promise<string[]> =>
  (await checkLedger(service)).problems
    .filter(({ code, tenantId }) => code === "wrong_sum" && tenantId === tenant.id)
    .map(({ detail }) => detail);

test("payments, refunds and settlements in both currencies are in the balances before and after they are summed", async () => {
  for (const payoutCurrency of ["BRL", "USD"] as const) {
    const merchant = await createMerchant(service, { payoutCurrency, settlementDays: 0 });
    const expectRight = async (): Promise<void> => {
      expect(Object.entries(await balancesOf(merchant))).toEqual(Object.entries(await model(merchant)));
      const usd = Object.entries(await model(merchant)).filter(([name]) => name.endsWith("USD"));
      expect(Object.entries(await balancesOf(merchant, "USD"))).toEqual(usd);
    };
    await expectRight();
    const paid = [await merchant.pay(), await merchant.pay({ amount: 10_000, currency: "USD" })];
    await expectRight();
    await sumLines();
    await expectRight();
    for (const { body } of paid) await merchant.api.post(`/v1/payments/${body.id}/refunds`, { amount: 500 });
    service.clock.advance(10 * 86_400);
    await service.core.tasks.settle();
    expect(await unsummed(merchant)).toBeGreaterThan(0);
    await expectRight();
    await sumLines();
    expect(await unsummed(merchant)).toBe(0);
    await expectRight();
    expect(await wrongSums(merchant)).toEqual([]);
  }
});

test("the answer reads no line that is summed", async () => {
  const merchant = await createMerchant(service);
  await merchant.pay();
  await sumLines();
  const expected = await model(merchant);
  await rows.run("BEGIN");
  await rows.run("LOCK TABLE test.ledger_line IN ACCESS EXCLUSIVE MODE");
  try {
    expect(await balancesOf(merchant)).toEqual(expected);
    expect(await merchant.api.get("/v1/balance")).toMatchObject({
      status: 200,
      body: { data: [{ pending: 15_792 }] },
    });
  } finally {
    await rows.run("ROLLBACK");
  }
});

/** Adds an entry in one or two statements, with rounds before its end. A fifth is rolled back. */
async function write(writer: DatabaseRows, { tenant }: Merchant, random: Random, id: string): Promise<void> {
  const mode = random.pick(MODES);
  await writer.run("BEGIN");
  for (let part = random.integer(1, 2); part > 0; part--) {
    const [debit, credit, currency] = [random.pick(ACCOUNTS), random.pick(ACCOUNTS), random.pick(CURRENCIES)];
    await writer.run(
      `INSERT INTO ${mode}.ledger_line
          (tenant_id, payment_id, kind, number, account, currency, debit_minor, credit_minor)
        VALUES ($1, $2, 'payment', 1, '${debit}', '${currency}', $3, 0),
          ($1, $2, 'payment', 2, '${credit}', '${currency}', 0, $3)`,
      [tenant.id, `${id}_${part}`, random.integer(1, 1_000_000)],
    );
  }
  if (random.integer(0, 3) === 0) await sumLines();
  await writer.run(random.integer(0, 4) === 0 ? "ROLLBACK" : "COMMIT");
}

test("random entries, some committed late and some never, are missed and doubled by no round beside them", async () => {
  const random = randomFor("line sums");
  const merchants = [await createMerchant(service), await createMerchant(service)] as const;
  let isWriting = true;
  const writing = Promise.all(
    Array.from({ length: WRITERS }, async (_, index) => {
      const [writer, own] = [await freely(), random.fork()];
      for (let entry = 0; entry < ENTRIES; entry++)
        await write(writer, own.pick(merchants), own, `pay_${index}_${entry}`);
    }),
  ).finally(() => {
    isWriting = false;
  });
  while (isWriting) {
    await Promise.all([sumLines(), sumLines()]);
    for (const merchant of merchants) {
      expect(await wrongSums(merchant)).toEqual([]);
      const sums = Object.values(await balancesOf(merchant));
      expect(sums.reduce((sum, [debit, credit]) => sum + debit - credit, 0n)).toBe(0n);
    }
  }
  await writing;
  for (const merchant of merchants) {
    for (const mode of MODES) {
      const expected = await model(merchant, mode);
      expect(Object.keys(expected).length).toBeGreaterThan(CURRENCIES.length);
      expect(await balancesOf(asOf(merchant, mode))).toEqual(expected);
      await sumLines();
      expect(await unsummed(merchant, mode)).toBe(0);
      expect(await balancesOf(asOf(merchant, mode))).toEqual(expected);
    }
  }
});

test("lines of before the trigger are in the balances, and are summed with the tenant's next line", async () => {
  const merchant = await createMerchant(service);
  await merchant.pay();
  await rows.run("DELETE FROM test.ledger_unsummed WHERE tenant_id = $1", [merchant.tenant.id]);
  await merchant.pay();
  expect(await balancesOf(merchant)).toEqual(await model(merchant));
  await sumLines();
  expect(await unsummed(merchant)).toBe(0);
  expect(await balancesOf(merchant)).toEqual(await model(merchant));
});

test("no round changes sums while another worker does, and the next one has all", async () => {
  const merchant = await createMerchant(service);
  await merchant.pay();
  await rows.run("SELECT pg_advisory_lock(7295755, hashtext('test'))");
  await sumLines();
  expect(await rows.count("test.ledger_sum WHERE tenant_id = $1", [merchant.tenant.id])).toBe(0);
  await rows.run("SELECT pg_advisory_unlock(7295755, hashtext('test'))");
  await sumLines();
  expect(await unsummed(merchant)).toBe(0);
  expect(await balancesOf(merchant)).toEqual(await model(merchant));
});

test("a round that is killed while it moves lines loses none, and blocks neither payments nor answers", async () => {
  const merchant = await createMerchant(service);
  await merchant.pay();
  await sumLines();
  await merchant.pay();
  await rows.run("BEGIN");
  await rows.run("SELECT FROM test.ledger_sum WHERE tenant_id = $1 FOR UPDATE", [merchant.tenant.id]);
  const round = sumLines().then(
    () => "ended",
    () => "killed",
  );
  const killer = await open();
  const waiting = `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND query LIKE '%ledger_sum AS s%' AND pid <> pg_backend_pid()`;
  await expect.poll(async () => await killer.count(waiting), { timeout: 5000 }).toBe(1);
  expect((await merchant.pay()).status).toBe(200);
  const expected = await balancesOf(merchant);
  expect(expected["provider_clearing:BRL"]).toEqual([3n * 15_990n, 0n]);
  await killer.run(`SELECT pg_terminate_backend(pid) FROM ${waiting}`);
  expect(await round).toBe("killed");
  await rows.run("ROLLBACK");
  expect(await balancesOf(merchant)).toEqual(expected);
  await sumLines();
  expect(await unsummed(merchant)).toBe(0);
  expect(await balancesOf(merchant)).toEqual(expected);
});

test("a kept sum that is wrong is a problem of the books, and is made again from them alone while they are right", async () => {
  const merchant = await createMerchant(service);
  const { body: payment } = await merchant.pay();
  await sumLines();
  const audit = async (): Promise<number | undefined> => {
    service.clock.advance(CHECK_SECONDS);
    await service.core.tasks.check();
    return (await service.core.checks.standings()).find(({ mode }) => mode === "test")?.bookProblemCount;
  };
  const right = await model(merchant);
  const clean = (await audit()) ?? Number.NaN;
  service.faults.splice(0);
  await rows.run(
    `WITH gone AS (DELETE FROM test.ledger_sum WHERE tenant_id = $1 AND account = 'merchant_payable')
      UPDATE test.ledger_sum SET debit_minor = debit_minor + 1 WHERE tenant_id = $1 AND account = 'provider_clearing'`,
    [merchant.tenant.id],
  );
  expect(await wrongSums(merchant)).toEqual([
    "merchant_payable BRL is kept as debits 0, credits 0, booked as debits 0, credits 15792; " +
      "provider_clearing BRL is kept as debits 15991, credits 0, booked as debits 15990, credits 0",
  ]);
  expect(await audit()).toBe(clean + 1);
  expect(service.faults.splice(0)).toMatchObject([{ codes: expect.arrayContaining(["wrong_sum"]) }]);
  expect(await balancesOf(merchant)).toEqual(right);
  expect(await audit()).toBe(clean);

  const tamperer = await freely();
  const line = `UPDATE test.ledger_line SET debit_minor = debit_minor + $2
    WHERE payment_id = $1 AND account = 'provider_clearing'`;
  await tamperer.run(line, [payment.id, 5]);
  expect(await audit()).toBeGreaterThan(clean);
  service.faults.splice(0);
  expect(await balancesOf(merchant)).toEqual(right);
  await tamperer.run(line, [payment.id, -5]);
  expect(await audit()).toBe(clean);
});
