import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { advance, connectMerchant, startLive } from "./live-merchant.ts";

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

describe("a bank that tells money without end", () => {
  // A round then waits for all of its work, however long this machine takes.
  beforeEach(stopProcessClock);

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
