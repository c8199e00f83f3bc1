import { afterEach, describe, expect, test, vi } from "vitest";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { writeBrCode } from "../../src/providers/br-code.ts";
import type { PixProvider, PixState } from "../../src/providers/ports.ts";
import { ProviderFault } from "../../src/providers/provider-fault.ts";
import { sandboxDirectory } from "../../src/providers/sandbox/sandbox.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
// Times are compared to the second.
service.clock.stop();
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

// What a sandbox of any tenant answers, for tests to answer otherwise.
const caller = { tenantId: "ten_1", mode: "test" } as const;
const { pix: anySandbox } = await sandboxDirectory({} as never, service.clock).offered(caller);
const sandbox = Object.getPrototypeOf(anySandbox) as PixProvider;
afterEach(async () => {
  vi.restoreAllMocks();
  // No check of a later test finds what this one has left open.
  await rows.run("UPDATE test.charge SET is_open = false");
});

const REMOVED = new ProviderFault("refused", "the charge was removed", { code: "removed" });
const FAILED = new ProviderFault("unknown", "the provider did not answer");

async function opened(link: object = {}): Promise<Payer> {
  const payer = new Payer(service, await merchant.newLink(link));
  await payer.open();
  return payer;
}

async function charge(paymentId: string): Promise<Record<string, unknown>> {
  const [found] = await rows.read(
    `SELECT is_open AS "isOpen", decline_reason AS reason, pix_code IS NOT NULL AS "hasCode",
      provider_payment_id AS receipt, check_at AS "checkAt" FROM test.charge WHERE payment_id = $1`,
    [paymentId],
  );
  return found ?? {};
}

const statusOf = async (payer: Payer) => (await payer.session()).payment?.status;
const referenceOf = (paymentId: string) => paymentId.replace("_", "");
const inSeconds = (seconds: number) =>
  new Date(Math.floor(service.clock.nowMs() / 1000) * 1000 + seconds * 1000);

async function checkAfter(seconds: number): Promise<void> {
  service.clock.advance(seconds);
  await service.core.tasks.checkCharges();
}

function findsPix(state: Partial<PixState>) {
  return vi
    .spyOn(sandbox, "find")
    .mockResolvedValue({ status: "waiting", receipts: [], returns: [], ...state });
}

describe("a PIX code that the provider does not give", () => {
  test("is asked for again by the worker, as a request that may have come before", async () => {
    const asked = vi.spyOn(sandbox, "createCharge").mockRejectedValueOnce(FAILED);
    const payer = await opened({ description: "Two chairs" });
    const { paymentId } = await payer.start();
    expect(service.faults.splice(0)).toEqual([{ err: FAILED, payment_id: paymentId }]);
    expect(await charge(paymentId)).toMatchObject({ hasCode: false, isOpen: true });
    await checkAfter(3);
    expect(await charge(paymentId)).toMatchObject({ hasCode: true, checkAt: inSeconds(30) });
    expect(asked.mock.calls.map(([request]) => request)).toMatchObject([
      { isRepeated: false, reference: referenceOf(paymentId), description: "Two chairs" },
      { isRepeated: true, reference: referenceOf(paymentId), description: "Two chairs" },
    ]);
    await checkAfter(31);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  test("or one that asks for another amount, leaves the payment waiting without a code", async () => {
    vi.spyOn(sandbox, "createCharge").mockImplementation(async ({ reference, merchantName }) => {
      const location = `pix.example/${reference}`;
      const code = writeBrCode({ location, amountMinor: 1n, merchantName, merchantCity: "SAO PAULO" });
      return await Promise.resolve({ code, location });
    });
    const payer = await opened();
    const { paymentId } = await payer.start();
    expect(service.faults.splice(0)).toMatchObject([{ err: { code: "wrong_code" } }]);
    await expect(checkAfter(3)).rejects.toMatchObject({ errors: [{ code: "wrong_code" }] });
    expect(await charge(paymentId)).toMatchObject({ hasCode: false, isOpen: true });
    expect(await statusOf(payer)).toBe(PaymentStatus.PENDING);
  });

  test("because it removed the charge ends the payment, and the charge stays open for money", async () => {
    vi.spyOn(sandbox, "createCharge").mockRejectedValueOnce(REMOVED);
    const payer = await opened();
    const { paymentId } = await payer.start();
    expect(await statusOf(payer)).toBe(PaymentStatus.FAILED);
    expect(await charge(paymentId)).toMatchObject({ isOpen: true, reason: "removed", hasCode: false });
  });

  test("for a fault of ours that only has the code of a removal, leaves the payment waiting", async () => {
    const fault = Object.assign(new TypeError("broken"), { code: "removed" });
    vi.spyOn(sandbox, "createCharge").mockRejectedValueOnce(fault);
    const payer = await opened();
    const { paymentId } = await payer.start();
    expect(service.faults.splice(0)).toEqual([{ err: fault, payment_id: paymentId }]);
    expect(await statusOf(payer)).toBe(PaymentStatus.PENDING);
  });

  test("is asked for again after 2, 5, 10, 15 and then every 15 seconds while its provider fails", async () => {
    service.clock.set(new Date(Math.ceil(service.clock.nowMs() / 1000) * 1000));
    const asked = vi.spyOn(sandbox, "createCharge").mockRejectedValue(FAILED);
    const { paymentId } = await (await opened()).start();
    const waits: number[] = [];
    for (let time = 0; time < 6; time++) {
      const { checkAt } = await charge(paymentId);
      waits.push(((checkAt as Date).getTime() - service.clock.nowMs()) / 1000);
      service.clock.set(checkAt as Date);
      await expect(service.core.tasks.checkCharges()).rejects.toThrow("charges could not be looked after");
    }
    expect(waits).toEqual([2, 5, 10, 15, 15, 15]);
    expect(asked).toHaveBeenCalledTimes(7);
    service.faults.splice(0);
  });

  test("before the charge's end expires with it, and nothing is withdrawn", async () => {
    vi.spyOn(sandbox, "createCharge").mockRejectedValue(FAILED);
    const cancel = vi.spyOn(sandbox, "cancel");
    const payer = await opened();
    const { paymentId } = await payer.start();
    service.faults.splice(0);
    await expect(checkAfter(961)).rejects.toMatchObject({ errors: [FAILED] });
    expect(await statusOf(payer)).toBe(PaymentStatus.EXPIRED);
    expect(await charge(paymentId)).toMatchObject({ isOpen: true, hasCode: false });
    expect(cancel).not.toHaveBeenCalled();
  });
});

describe("a check of a PIX charge", () => {
  test("takes the money that came first, whatever the order of the report", async () => {
    const payer = await opened();
    const { paymentId } = await payer.start();
    const amountMinor = (await payer.session()).options[0]?.payerTotal ?? 0n;
    findsPix({
      receipts: [
        { providerPaymentId: `second-${paymentId}`, amountMinor, paidAt: inSeconds(20) },
        { providerPaymentId: `first-${paymentId}`, amountMinor, paidAt: inSeconds(10) },
      ],
    });
    await checkAfter(31);
    expect(await charge(paymentId)).toMatchObject({ receipt: `first-${paymentId}`, isOpen: false });
  });

  test.each([
    ["rejected", "AB03", "AB03", false],
    ["rejected", undefined, "", false],
    ["removed", "AB03", "removed", true],
  ] as const)("that finds it %s for %s ends the payment", async (status, given, reason, isOpen) => {
    const payer = await opened();
    const { paymentId } = await payer.start();
    findsPix({ status, ...(given && { reason: given }) });
    await checkAfter(31);
    expect(await statusOf(payer)).toBe(PaymentStatus.FAILED);
    expect(await charge(paymentId)).toMatchObject({ reason, isOpen });
  });

  test.each(["absent", "waiting"] as const)("that finds it %s leaves it waiting", async (status) => {
    const payer = await opened();
    const { paymentId } = await payer.start();
    findsPix({ status });
    await checkAfter(31);
    expect(await statusOf(payer)).toBe(PaymentStatus.PENDING);
    expect(await charge(paymentId)).toMatchObject({ reason: null, isOpen: true });
  });

  test("that the provider puts off comes after the time that it named; otherwise after its own", async () => {
    const payer = await opened();
    const { paymentId } = await payer.start();
    const busy = new ProviderFault("busy", "later", { retryAfterSeconds: 600 });
    const find = vi.spyOn(sandbox, "find").mockRejectedValueOnce(FAILED).mockRejectedValueOnce(busy);
    await expect(checkAfter(31)).rejects.toMatchObject({ errors: [FAILED] });
    await expect(checkAfter(20)).rejects.toMatchObject({ errors: [busy] });
    expect((await charge(paymentId))["checkAt"]).toEqual(inSeconds(600));
    await checkAfter(599);
    expect(find).toHaveBeenCalledTimes(2);
  });

  test("at its end withdraws it by its reference, and if that fails watches it all the same", async () => {
    const cancel = vi.spyOn(sandbox, "cancel").mockRejectedValueOnce(FAILED);
    const payer = await opened();
    const { paymentId } = await payer.start();
    await checkAfter(961);
    expect(await statusOf(payer)).toBe(PaymentStatus.EXPIRED);
    expect(cancel.mock.calls).toEqual([[referenceOf(paymentId), null]]);
    expect(service.faults.splice(0)).toEqual([{ err: FAILED, payment_id: paymentId }]);
    expect(await charge(paymentId)).toMatchObject({ isOpen: true, reason: null });
  });

  test("whose provider fails at its end ends the payment, and reports the fault", async () => {
    const payer = await opened();
    await payer.start();
    vi.spyOn(sandbox, "find").mockRejectedValue(FAILED);
    await expect(checkAfter(961)).rejects.toMatchObject({ errors: [FAILED] });
    expect(await statusOf(payer)).toBe(PaymentStatus.EXPIRED);
  });
});

test("a card's charge is asked for at the card's provider alone", async () => {
  const find = vi.spyOn(sandbox, "find");
  const payer = await opened();
  await payer.card("tok_challenge");
  await checkAfter(31);
  expect(await statusOf(payer)).toBe(PaymentStatus.PROCESSING);
  expect(find).not.toHaveBeenCalled();
});

test("a fault of ours in a check is reported as it is", async () => {
  const fault = new TypeError("broken");
  const payer = await opened();
  await payer.start();
  vi.spyOn(sandbox, "find").mockRejectedValueOnce(fault);
  await expect(checkAfter(31)).rejects.toMatchObject({ errors: [fault] });
});

test("a card whose provider fails at its end stays in progress: it may have been charged", async () => {
  const payer = await opened();
  const { paymentId } = await payer.card("tok_challenge");
  await rows.run("ALTER TABLE test.sandbox_charge RENAME TO hidden_charge");
  try {
    await expect(checkAfter(961)).rejects.toThrow("charges could not be looked after");
  } finally {
    await rows.run("ALTER TABLE test.hidden_charge RENAME TO sandbox_charge");
  }
  expect(await statusOf(payer)).toBe(PaymentStatus.PROCESSING);
  expect(await charge(paymentId)).toMatchObject({ isOpen: true, reason: null });
  const cancel = vi.spyOn(sandbox, "cancel");
  await checkAfter(961);
  expect(await statusOf(payer)).toBe(PaymentStatus.FAILED);
  expect(cancel).not.toHaveBeenCalled();
});
