import { ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { CallName } from "../../tools/bank/faults.ts";
import { testBank, type TestBank } from "../api-pix/connected.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { advance, configAt, connectMerchant, startLive, type LiveMerchant } from "./live-merchant.ts";

// Less than the 30 seconds after which a call to a silent bank fails.
const SOON = { timeout: 20_000 };

const live = await forFile(startLive());
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());
afterEach(async () => {
  runProcessClock();
  live.service.faults.length = 0;
  await rows.run("UPDATE live.charge SET is_open = false");
  await rows.run("UPDATE live.provider_sweep SET due_at = 'infinity'");
});

/** By the clock that slow work is measured with, no work is slow from now on, and none makes way for other work. */
function stopProcessClock(): void {
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
}

function runProcessClock(): void {
  vi.restoreAllMocks();
}

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
    stopProcessClock();
    const round = tasks().checkCharges();
    await vi.waitFor(async () => expect(await merchant.status(paymentId)).toBe("succeeded"), SOON);
    runProcessClock();
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

  test("of a tenant's 16 accounts delays no check of another tenant's payment", async () => {
    const silent = await silentBank("readCharge");
    const { as } = silent.merchant;
    const waiting = await startMany(silent.merchant, 3);
    for (let { accountId: id } = silent.merchant, count = 1; count < 16; count++) {
      await live.providers.retireProviderAccount({ id }, as);
      const config = configAt({ ...live, ...silent.made });
      const put = { kind: ProviderKind.PIX, profile: "bacen", config };
      id = (await live.providers.putProviderAccount(put, as)).account?.id ?? "";
      waiting.push(...(await startMany(silent.merchant, 3)));
    }
    const merchant = await connectMerchant(live);
    const { paymentId, reference } = await merchant.start();
    live.bank.pay(reference, 15_990n);
    advance(live, 60);
    stopProcessClock();
    // It fails when the silent bank stops, which is before it is awaited.
    const round = tasks()
      .checkCharges()
      .catch(() => undefined);
    await vi.waitFor(async () => expect(await merchant.status(paymentId)).toBe("succeeded"), SOON);
    expect(silent.asked()).toBeLessThanOrEqual(16);
    await rows.run("UPDATE live.charge SET is_open = false WHERE payment_id = ANY ($1)", [waiting]);
    await silent.made.bank.stop();
    await round;
  });

  test("delays no sweep and no callback of another's account", async () => {
    const silent = await silentBank("statement");
    const merchant = await connectMerchant(live);
    const { endToEndId } = live.bank.payKey(700n);
    advance(live, 3700);
    stopProcessClock();
    const sweeps = tasks().sweepProviders();
    await vi.waitFor(async () => {
      const { money } = await live.providers.listUnknownMoney({}, merchant.as);
      expect(money.map((one) => one.endToEndId)).toContain(endToEndId);
    }, SOON);
    runProcessClock();
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
    stopProcessClock();
    const callbacks = tasks().answerCallbacks();
    await vi.waitFor(async () => expect(await merchant.status(paymentId)).toBe("succeeded"), SOON);
    runProcessClock();
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
