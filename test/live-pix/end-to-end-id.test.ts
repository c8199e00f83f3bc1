import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start());
const { bank } = scene.live;

test("a payment has its money's end-to-end id wherever it is shown, and none before it is paid", async () => {
  const merchant = await scene.merchant();
  const { paymentId, reference, payer } = await merchant.start();
  const shown = async () => (await merchant.api.get(`/v1/payments/${paymentId}`)).body;
  expect(await shown()).not.toHaveProperty("end_to_end_id");
  const { endToEndId } = bank.pay(reference, 15_990n);
  await scene.pass(60);
  const payment = await shown();
  expect(payment).toMatchObject({ status: "succeeded", end_to_end_id: endToEndId });
  const day = new Date(payment.created_at * 1000 - 3 * 3_600_000).toISOString().slice(0, 10);
  const { body: listed } = await merchant.api.get(`/v1/payments?from=${day}&to=${day}`);
  expect(listed.data).toEqual([payment]);
  const [event] = await scene.rows.read(
    "SELECT convert_from(body, 'UTF8') AS body FROM live.event WHERE object_id = $1 AND type = 'payment.succeeded'",
    [paymentId],
  );
  expect(JSON.parse(String(event?.["body"])).data.payment).toEqual(payment);
  expect((await payer.session()).payment?.endToEndId).toBe(endToEndId);
  const { body: refund } = await merchant.api.post(`/v1/payments/${paymentId}/refunds`, { amount: 1000 });
  expect(refund).toMatchObject({ amount: 1000 });
  for (const seconds of [60, 60]) await scene.pass(seconds);
  expect(await shown()).toMatchObject({ refunded_amount: 1000, end_to_end_id: endToEndId });
});
