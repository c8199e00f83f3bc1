import { describe, expect, test } from "vitest";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LATE_CARDS, LATE_CODES } from "../../src/providers/sandbox/late-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
// Times are compared to the second.
service.clock.stop();
const merchant = await createMerchant(service);

const statusOf = async (id: string) => (await merchant.api.get(`/v1/payments/${id}`)).body.status;

/** Lets so many seconds pass, one by one as the worker looks. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    service.clock.advance(1);
    // A code that is not there yet is a fault, as of a bank.
    await service.core.tasks.checkCharges().catch(() => undefined);
  }
}

describe.each([...LATE_CARDS])("a card by %s, whose issuer answers after %i s", (token, seconds) => {
  test("is in processing until the worker finds that it is paid", async () => {
    const payer = new Payer(service, await merchant.newLink());
    await payer.open();
    const { paymentId, challengeUrl } = await payer.card(token);
    expect(challengeUrl).toBeUndefined();
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.PROCESSING);
    await pass(seconds - 1);
    expect(await statusOf(paymentId)).toBe("processing");
    await pass(31);
    expect(await statusOf(paymentId)).toBe("succeeded");
  });

  test("is found when its payer asks", async () => {
    const payer = new Payer(service, await merchant.newLink());
    await payer.open();
    const { paymentId } = await payer.card(token);
    const asked = { linkId: (await payer.page()).linkId, sessionId: payer.sessionId };
    const ask = async () => void (await payer.client.refreshPayment(asked, service.internal));
    await ask();
    expect(await statusOf(paymentId)).toBe("processing");
    service.clock.advance(Math.max(seconds, 11));
    await ask();
    expect(await statusOf(paymentId)).toBe("succeeded");
  });
});

test.each([...LATE_CODES])("a Pix charge of %i centavos has its code after %i s", async (amount, seconds) => {
  const payer = new Payer(service, await merchant.newLink({ amount: Number(amount) }));
  await payer.open();
  const { paymentId } = await payer.start();
  const code = async () => (await payer.session()).payment?.pixCode;
  expect([await statusOf(paymentId), await code()]).toEqual(["pending", undefined]);
  await pass(seconds - 1);
  expect(await code()).toBeUndefined();
  // The worker asks every 15 seconds in the end.
  await pass(16);
  expect(await code()).toMatch(/^000201/);
  expect(service.faults.splice(0).length).toBeGreaterThan(0);
});
