import { expect, test } from "vitest";
import { REFUNDS_MAX } from "../../src/providers/ports.ts";
import { forFile } from "../support/for-file.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start());
const { bank } = scene.live;
const merchant = await scene.merchant();

test("what a bank gives back by itself of a payment with the most refunds, of long reasons, is booked", async () => {
  const { paymentId: id, reference } = await merchant.start();
  const { endToEndId } = bank.pay(reference, 15_990n);
  await scene.pass(60);
  const body = { amount: 1, reason: "€".repeat(140) };
  for (let count = 0; count < REFUNDS_MAX; count++) {
    expect((await merchant.api.post(`/v1/payments/${id}/refunds`, body)).status).toBe(201);
  }
  await scene.pass(60);
  bank.returnByBank(endToEndId, 5000n);
  // A statement has it, in the second hour of the next day.
  for (let count = 0; count < 5; count++) await scene.pass(6 * 3600);
  const answer = bank.requests.findLast(({ call }) => call === "readCharge")?.answer ?? "";
  expect(Buffer.byteLength(answer)).toBeGreaterThan(64 * 1024);
  expect((await merchant.api.get(`/v1/payments/${id}`)).body.refunded_amount).toBe(5000 + REFUNDS_MAX);
  expect(scene.faults).toEqual([]);
  expect(await scene.problems()).toEqual([]);
});
