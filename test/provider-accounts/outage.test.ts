import { ConnectError } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { CallName } from "../../bank/faults.ts";
import { testBank, type TestBank } from "../api-pix/connected.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { advance, connectMerchant, startLive, type LiveMerchant, type LiveService } from "./live-merchant.ts";

// Within this time another account's work is done, whatever a silent bank does.
const SOON = { timeout: 4000 };

let live: LiveService;
let rows: DatabaseRows;
beforeAll(async () => {
  live = await startLive();
  rows = await new DatabaseRows(live.service.databaseUrl).open();
});
afterAll(async () => {
  await rows.close();
  await live.close();
});
afterEach(async () => {
  live.service.faults.length = 0;
  await rows.run("UPDATE live.charge SET is_open = false");
  await rows.run("UPDATE live.provider_sweep SET due_at = 'infinity'");
});

const tasks = () => live.service.core.tasks;

/** A bank beside that of the others, which answers no call of a name. */
async function silentBank(call: CallName): Promise<{
  readonly made: TestBank;
  readonly merchant: LiveMerchant;
  readonly asked: () => number;
}> {
  const made = await testBank();
  made.bank.clock.set(new Date(live.service.clock.nowMs()));
  const merchant = await connectMerchant({ ...live, ...made });
  made.bank.fail(call, { kind: "hang" }, 10_000);
  const asked = () => made.bank.requests.filter(({ call: name }) => name === call).length;
  return { made, merchant, asked };
}

async function startMany(merchant: LiveMerchant, count: number): Promise<string[]> {
  const made: string[] = [];
  for (let index = 0; index < count; index++) made.push((await merchant.start()).paymentId);
  return made;
}

const statusesOf = async (ids: readonly string[]) =>
  new Set(
    (await rows.read("SELECT DISTINCT status FROM live.payment WHERE id = ANY ($1)", [ids])).map(
      ({ status }) => status,
    ),
  );

describe("a bank that does not answer", () => {
  test("delays no check of another's payment, is asked less, and is asked again after its pause", async () => {
    const silent = await silentBank("readCharge");
    const waiting = await startMany(silent.merchant, 60);
    const merchant = await connectMerchant(live);
    const { paymentId, reference } = await merchant.start();
    live.bank.pay(reference, 15_990n);
    advance(live, 60);
    const round = tasks().checkCharges();
    await vi.waitFor(async () => expect(await merchant.status(paymentId)).toBe("succeeded"), SOON);
    await round;
    expect(silent.asked()).toBe(4);

    // Its requests fail, and it is in its pause.
    await silent.made.bank.stop();
    await vi.waitFor(() => expect(live.service.faults).toHaveLength(4), SOON);
    const count = async () =>
      await rows.count("live.charge WHERE is_open AND check_at <= $1", [
        new Date(live.service.clock.nowMs()),
      ]);
    const before = await count();
    expect(before).toBeGreaterThanOrEqual(56);
    await tasks().checkCharges();
    expect(await count()).toBe(before);
    advance(live, 16);
    await expect(tasks().checkCharges()).rejects.toThrow("charges could not be looked after");

    // The end of its payments waits for no answer.
    advance(live, 1000);
    for (let time = 0; time < 4; time++)
      await tasks()
        .checkCharges()
        .catch(() => undefined);
    expect(await statusesOf(waiting)).toEqual(new Set(["expired"]));
  });

  test("delays no sweep and no callback of another's account", async () => {
    const silent = await silentBank("statement");
    const merchant = await connectMerchant(live);
    const { endToEndId } = live.bank.payKey(700n);
    advance(live, 3700);
    const sweeps = tasks().sweepProviders();
    await vi.waitFor(async () => {
      const { money } = await live.providers.listUnknownMoney({}, merchant.as);
      expect(money.map((one) => one.endToEndId)).toContain(endToEndId);
    }, SOON);
    await sweeps;
    expect(silent.asked()).toBe(1);

    silent.made.bank.fail("readCharge", { kind: "hang" }, 100);
    const { paymentId, reference } = await merchant.start();
    live.bank.pay(reference, 15_990n);
    const own = await startMany(silent.merchant, 5);
    const [told, dueAt] = [
      "INSERT INTO live.provider_callback VALUES ($1, $2, $3, $4, 0, NULL, $5, $5)",
      new Date(live.service.clock.nowMs()),
    ];
    for (const id of own) {
      const { tenant, accountId } = silent.merchant;
      await rows.run(told, [tenant.id, accountId, id, [id.replace("_", "")], dueAt]);
    }
    await rows.run(told, [merchant.tenant.id, merchant.accountId, "own", [reference], dueAt]);
    const callbacks = tasks().answerCallbacks();
    await vi.waitFor(async () => expect(await merchant.status(paymentId)).toBe("succeeded"), SOON);
    await callbacks;
    await silent.made.bank.stop();
    await vi.waitFor(() => expect(live.service.faults.length).toBeGreaterThanOrEqual(3), SOON);
  });

  test("keeps its sweep from other workers while one waits, by a lease of 45 seconds that is renewed", async () => {
    const silent = await silentBank("statement");
    vi.useFakeTimers({ toFake: ["setInterval"] });
    try {
      advance(live, 3700);
      const sweeps = tasks().sweepProviders();
      await vi.waitFor(() => expect(silent.asked()).toBe(1), SOON);
      const leaseSeconds = async () => {
        const [row = {}] = await rows.read(
          "SELECT due_at FROM live.provider_sweep WHERE account_id = $1 AND kind = 'received'",
          [silent.merchant.accountId],
        );
        return ((row["due_at"] as Date).getTime() - live.service.clock.nowMs()) / 1000;
      };
      expect(await leaseSeconds()).toBe(45);
      advance(live, 30);
      expect(await leaseSeconds()).toBe(15);
      vi.advanceTimersByTime(15_000);
      await vi.waitFor(async () => expect(await leaseSeconds()).toBe(45), SOON);
      await silent.made.bank.stop();
      await sweeps.catch(() => undefined);
      // It failed: it is due a minute after its start.
      await vi.waitFor(async () => expect(await leaseSeconds()).toBe(30), SOON);
      vi.advanceTimersByTime(15_000);
      expect(await leaseSeconds()).toBe(30);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is asked for nothing more when the caller of a sweep has gone", async () => {
    const silent = await silentBank("statement");
    const gone = new AbortController();
    advance(live, 120);
    const swept = live.providers.sweepProviderAccount(
      { id: silent.merchant.accountId },
      { ...silent.merchant.as, signal: gone.signal },
    );
    const failed = swept.catch((error: unknown) => error);
    await vi.waitFor(() => expect(silent.asked()).toBe(1), SOON);
    gone.abort();
    expect(await failed).toBeInstanceOf(ConnectError);
    const failures = async () =>
      await rows.count("live.provider_sweep WHERE account_id = $1 AND failure_count = 1", [
        silent.merchant.accountId,
      ]);
    await vi.waitFor(async () => expect(await failures()).toBe(1), SOON);
    expect(silent.asked()).toBe(1);
    await silent.made.bank.stop();
  });
});

describe("a bank that tells money without end", () => {
  test("has 50 amounts of an answer and 100 of a charge looked at; the right amount still counts", async () => {
    const merchant = await connectMerchant(live);
    const { paymentId, reference } = await merchant.start();
    for (let index = 0; index < 160; index++) live.bank.pay(reference, 1n);
    const kept = async () => await rows.count("live.payment_exception WHERE payment_id = $1", [paymentId]);
    for (const count of [50, 100, 100]) {
      advance(live, 60);
      await tasks().checkCharges();
      expect(await kept()).toBe(count);
    }
    expect(JSON.stringify(live.service.faults)).toContain(paymentId);
    expect(await merchant.status(paymentId)).toBe("pending");
    live.bank.pay(reference, 15_990n);
    advance(live, 60);
    await tasks().checkCharges();
    expect(await merchant.status(paymentId)).toBe("succeeded");
    advance(live, 3700);
    await tasks().sweepProviders();
    const { money } = await live.providers.listUnknownMoney({}, merchant.as);
    expect(money.filter(({ txid }) => txid === reference)).toHaveLength(60);
  });

  test("that went back has 100 returns of a payment kept", async () => {
    const merchant = await connectMerchant(live);
    const { paymentId, reference } = await merchant.start();
    const { endToEndId } = live.bank.pay(reference, 15_990n);
    for (let index = 0; index < 110; index++) live.bank.returnByBank(endToEndId, 1n);
    advance(live, 60);
    await tasks().checkCharges();
    expect(await rows.count("live.refund WHERE payment_id = $1", [paymentId])).toBe(100);
  });

  test("that belongs to no charge has 10,000 amounts kept", async () => {
    const merchant = await connectMerchant(live);
    await rows.run(
      `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at)
      SELECT $1, $2, 'E' || n, 1, now(), now() FROM generate_series(1, 9999) n`,
      [merchant.tenant.id, merchant.accountId],
    );
    live.bank.payKey(1n);
    live.bank.payKey(2n);
    advance(live, 120);
    await live.providers.sweepProviderAccount({ id: merchant.accountId }, merchant.as);
    expect(await rows.count("live.unknown_money WHERE account_id = $1", [merchant.accountId])).toBe(10_000);
    expect(JSON.stringify(live.service.faults)).toContain(merchant.accountId);
  });
});
