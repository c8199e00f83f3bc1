import { Socket } from "node:net";
import dns from "node:dns";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService, type TestService } from "../support/service.ts";

const DAY_MS = 86_400_000;
const day = (offset: number): string => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
const DAYS = { from: day(-1), to: day(1) };

let service: TestService;
let merchant: Merchant;
beforeAll(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await service.close();
});

test("the sandbox pays by every method, declines, challenges and refunds without a connection to anywhere but the database", async () => {
  const connect = vi.spyOn(Socket.prototype, "connect");
  const lookup = vi.spyOn(dns, "lookup");
  const newPayer = async () => new Payer(service, await merchant.newLink());
  const pix = await newPayer();
  await pix.payByPix();
  for (const token of ["tok_approved", "tok_card_declined", "tok_challenge"]) {
    const payer = await newPayer();
    await payer.open();
    await payer.card(token);
    if (token === "tok_challenge") await payer.simulate(SandboxAction.APPROVE);
  }
  const { body } = await merchant.api.get(`/v1/payments?from=${DAYS.from}&to=${DAYS.to}`);
  for (const { id, status } of body.data) {
    if (status !== "succeeded") continue;
    expect((await merchant.api.post(`/v1/payments/${id}/refunds`, {})).body.status).toBe("succeeded");
  }
  const { tasks } = service.core;
  for (const task of ["checkCharges", "checkRefunds", "answerCallbacks", "sweepProviders"] as const) {
    await tasks[task]();
  }
  // The pool may have opened one more to the database: a socket in a folder of its own.
  const targets = connect.mock.calls.map((target) => JSON.stringify(target));
  const elsewhere = targets.filter((target) => !target.includes(".s.PGSQL."));
  expect(elsewhere).toEqual([]);
  expect(lookup).not.toHaveBeenCalled();
});
