import { afterEach, describe, expect, test } from "vitest";
import { advance, connectMerchant, startLive } from "../provider-accounts/live-merchant.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";

const BUSY = { kind: "busy", retryAfter: "6" } as const;

const live = await forFile(startLive());
const merchant = await connectMerchant(live);
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());
afterEach(() => {
  live.bank.faults.clear();
  live.service.faults.length = 0;
});

/** Moves the service's clock to almost the end of a second. */
function passToSecondsEnd(): void {
  const nowMs = live.service.clock.nowMs();
  advance(live, (1900 - (nowMs % 1000)) / 1000);
}

/** Returns the milliseconds from now to a time that a query reads. */
async function msUntil(sql: string, values: unknown[]): Promise<number> {
  const [row = {}] = await rows.read(sql, values);
  return (row["at"] as Date).getTime() - live.service.clock.nowMs();
}

describe("a bank that is to be asked after some seconds is not asked before", () => {
  test("for a charge", async () => {
    passToSecondsEnd();
    live.bank.fail("createCharge", BUSY);
    const { paymentId } = await merchant.start();
    const ms = await msUntil("SELECT check_at AS at FROM live.charge WHERE payment_id = $1", [paymentId]);
    expect(ms).toBeGreaterThanOrEqual(6000);
    expect(ms).toBeLessThan(7000);
  });

  test("for a refund", async () => {
    const { paymentId, reference } = await merchant.start();
    live.bank.pay(reference, 15_990n);
    advance(live, 40);
    await live.service.core.tasks.checkCharges();
    passToSecondsEnd();
    live.bank.fail("return", { ...BUSY, retryAfter: "60" }, 2);
    const made = await merchant.api.post(`/v1/payments/${paymentId}/refunds`, { amount: 500 });
    expect(made.status).toBe(201);
    const ms = await msUntil("SELECT check_at AS at FROM live.refund WHERE payment_id = $1", [paymentId]);
    expect(ms).toBeGreaterThanOrEqual(60_000);
  });

  test("for a sweep, whose provider counts from its answer", async () => {
    advance(live, 3700);
    await rows.run("UPDATE live.charge SET is_open = false");
    const { draw } = live.bank.faults;
    live.bank.faults.draw = (call) => {
      if (call !== "statement") return undefined;
      live.service.clock.advance(20);
      return { ...BUSY, retryAfter: "90" };
    };
    await live.service.core.tasks.sweepProviders().catch(() => undefined);
    live.bank.faults.draw = draw;
    const ms = await msUntil(
      "SELECT due_at AS at FROM live.provider_sweep WHERE account_id = $1 AND kind = 'received'",
      [merchant.accountId],
    );
    expect(ms).toBeGreaterThanOrEqual(90_000);
  });
});

test("a charge with money is not withdrawn with an error in the log", async () => {
  const { payer, paymentId, reference } = await merchant.start();
  live.bank.pay(reference, 100n);
  advance(live, 1000);
  for (let round = 0; round < 2; round++) await live.service.core.tasks.checkCharges();
  expect(await merchant.status(paymentId)).toBe("expired");
  expect((await payer.session()).payment?.hasException).toBe(true);
  expect(live.service.faults).toEqual([]);
});
