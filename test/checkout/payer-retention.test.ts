import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { CheckoutService, SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const identity = createClient(IdentityService, service.core.transport);
const checkout = createClient(CheckoutService, service.core.transport);
const PHONE = "+5511912345678";
const LINK = { payment_methods: ["pix"], collect_fields: ["phone"] };

/** Starts a payment whose payer gives a telephone number, and ends it unless it stays open. */
async function payment(merchant: Merchant, isOpen = false): Promise<string> {
  const payer = new Payer(service, await merchant.newLink(LINK));
  await payer.open();
  const { paymentId } = await payer.start({ payer: { phone: PHONE } });
  if (!isOpen) await payer.simulate(SandboxAction.APPROVE);
  return paymentId;
}

const detailsOf = async (merchant: Merchant, paymentId: string) =>
  await checkout.getPayerDetails({ paymentId }, merchant.as);
const phoneOf = async (merchant: Merchant, paymentId: string) =>
  (await detailsOf(merchant, paymentId)).payer?.phone;

test("payers' details are erased at the end of the tenant's retention, of its finished payments alone", async () => {
  const [merchant, other] = [await createMerchant(service), await createMerchant(service)];
  const [past, open, ofOther] = [
    await payment(merchant),
    await payment(merchant, true),
    await payment(other),
  ];
  const tenantId = merchant.tenant.id;
  await identity.updateTenant({ tenantId, payerRetentionDays: 30 }, service.internal);
  service.clock.advance(29 * 86_400);
  const recent = await payment(merchant);
  await service.core.tasks.removePast();
  expect(await phoneOf(merchant, past)).toBe(PHONE);
  service.clock.advance(86_401);
  await service.core.tasks.removePast();
  const erased = await detailsOf(merchant, past);
  expect(erased.payer?.phone).toBeUndefined();
  expect(Number(erased.erasedAt?.seconds)).toBeGreaterThan(0);
  for (const [of, id] of [
    [merchant, open],
    [merchant, recent],
    [other, ofOther],
  ] as const) {
    expect(await phoneOf(of, id)).toBe(PHONE);
  }
  const owner = new ConsoleClient(service, await createUser(service, tenantId, "owner"));
  const { body } = await owner.get(`/console/test/payments/${past}?payer=show`);
  expect(body).toContain("Os dados foram apagados em");
  // The payment itself stays as it was.
  expect(body).toContain(past);
});

test("what a payer gave is erased on request, of the whole session, and payment and books stay", async () => {
  const merchant = await createMerchant(service);
  const payer = new Payer(service, await merchant.newLink(LINK));
  await payer.open();
  const { paymentId: declined } = await payer.start({ payer: { phone: PHONE } });
  await payer.simulate(SandboxAction.DECLINE);
  const { paymentId } = await payer.start({ payer: { phone: PHONE } });
  const erase = async (id: string, of = merchant) =>
    await checkout.erasePayerDetails({ paymentId: id }, of.as);
  expect(await codeOf(erase(paymentId))).toBe("payment_in_progress");
  await payer.simulate(SandboxAction.APPROVE);
  const kept = async () => [
    (await merchant.api.get(`/v1/payments/${paymentId}`)).body,
    await merchant.ledger.listLedgerEntries({ paymentId }, merchant.as),
    (await merchant.ledger.checkLedger({ mode: Mode.TEST }, service.internal)).problems,
  ];
  const before = await kept();
  expect(await codeOf(erase(paymentId, await createMerchant(service)))).toBe("payment_not_found");
  const { erasedAt } = await erase(paymentId);
  expect(Number(erasedAt?.seconds)).toBeGreaterThan(0);
  for (const id of [paymentId, declined]) {
    const { payer: given, erasedAt: at } = await detailsOf(merchant, id);
    expect([given?.phone, at]).toEqual([undefined, erasedAt]);
  }
  expect(await kept()).toEqual(before);
  service.clock.advance(60);
  expect((await erase(paymentId)).erasedAt).toEqual(erasedAt);
  const unasked = (await merchant.pay()).body.id as string;
  expect((await erase(unasked)).erasedAt).toBeUndefined();
  expect(await codeOf(erase(newId("pay")))).toBe("payment_not_found");
});
