import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start());
const { bank, service } = scene.live;
const merchant = await scene.merchant();

test("a payer's questions reach the bank at once, then once in ten seconds, and not after the payment or its time", async () => {
  const [paid, left] = [await merchant.start(), await merchant.start()];
  const from = bank.requests.length;
  const looks = () => bank.requests.slice(from).filter(({ call }) => call === "readCharge").length;
  const ask = async ({ payer }: typeof paid) => {
    const ids = { linkId: (await payer.page()).linkId, sessionId: payer.sessionId };
    const asked = Array.from({ length: 10 }, async () => {
      await payer.client.refreshPayment(ids, { headers: { ...service.internal.headers } });
    });
    await Promise.all(asked);
    return looks();
  };
  expect([await ask(paid), await ask(paid)]).toEqual([1, 1]);
  bank.pay(paid.reference, 15_990n);
  await scene.pass(10, []);
  expect(await ask(paid)).toBe(2);
  expect(await scene.outcome(merchant, paid.paymentId)).toEqual(PAID_ONCE);
  await scene.pass(10, []);
  expect([await ask(paid), await ask(left)]).toEqual([2, 3]);
  await scene.pass(940, []);
  expect(await ask(left)).toBe(3);
});
