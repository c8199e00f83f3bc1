import { expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { runCommand } from "../support/process.ts";
import { startService } from "../support/service.ts";
import { Payer } from "../support/payer.ts";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { RefundScene } from "../refunds/scene.ts";

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

async function paylink(...args: string[]) {
  const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };
  const { code, stdout, stderr } = await runCommand([...args, "--json"], env);
  return { code, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}
const refund = async (id: string, ...more: string[]) =>
  await paylink("payments", "refund", id, "--tenant", merchant.tenant.id, "--mode", "test", ...more);

test("paylink payments refund gives a part back, prints what REST answers, and refuses what is too much", async () => {
  const { id } = (await merchant.pay()).body;
  const made = await refund(id, "--amount", "5000", "--reason", "Out of stock");
  expect(made).toMatchObject({ code: 0, json: { payment_id: id, amount: 5000, status: "succeeded" } });
  const { body } = await merchant.api.get(`/v1/payments/${id}/refunds`);
  expect(body.data).toEqual([made.json]);
  const refused = await refund(id, "--amount", "10991");
  expect(refused).toMatchObject({ code: 1, json: undefined });
  expect(refused.stderr).toContain("amount must be at most 10990");
});

test("paylink payments refund gives an exception's money back", async () => {
  const { id, paymentId } = await new RefundScene(service, merchant, rows).lateMoney();
  expect(await refund(id)).toMatchObject({ code: 0, json: { payment_id: paymentId, amount: 15_990 } });
});

test("paylink payments erase-payer erases what it may, and says of each payment what became of it", async () => {
  const link = { payment_methods: ["pix"], collect_fields: ["phone"] };
  const started = async () => {
    const payer = new Payer(service, await merchant.newLink(link));
    await payer.open();
    const { paymentId } = await payer.start({ payer: { phone: "+5511912345678" } });
    return { payer, paymentId };
  };
  const [open, ended] = [await started(), await started()];
  await ended.payer.simulate(SandboxAction.APPROVE);
  const own = ["--tenant", merchant.tenant.id, "--mode", "test"];
  const { id: simulated } = (await merchant.pay()).body;
  const ids = [newId("pay"), simulated, open.paymentId, ended.paymentId];
  const { code, json } = await paylink("payments", "erase-payer", ...ids, ...own);
  expect(code).toBe(1);
  expect(json).toEqual([
    { payment: ids[0], erased_at: null, result: expect.stringContaining("(payment_not_found)") },
    { payment: ids[1], erased_at: null, result: "nothing was asked for" },
    { payment: ids[2], erased_at: null, result: expect.stringContaining("(payment_in_progress)") },
    { payment: ids[3], erased_at: expect.any(String), result: "erased" },
  ]);
  await open.payer.simulate(SandboxAction.DECLINE);
  const again = await paylink("payments", "erase-payer", open.paymentId, ended.paymentId, ...own);
  expect(again).toMatchObject({ code: 0, json: [{ result: "erased" }, { result: "erased" }] });
});

test("paylink tenants update changes who bears the fee of refunded money", async () => {
  const { id } = merchant.tenant;
  const updated = await paylink("tenants", "update", id, "--refund-fee", "service");
  expect(updated).toMatchObject({ code: 0, json: { id, refund_fee: "service" } });
  const { json } = await paylink("tenants", "list");
  expect(json.find((tenant: { id: string }) => tenant.id === id)).toMatchObject({ refund_fee: "service" });
});

test("paylink tenants update sets the least settlement term, and needs a setting", async () => {
  const { id } = merchant.tenant;
  const days = { settlement_days: 3, least_settlement_days: 2 };
  const updated = await paylink(
    "tenants",
    "update",
    id,
    "--settlement-days",
    "3",
    "--least-settlement-days",
    "2",
  );
  expect(updated).toMatchObject({ code: 0, json: { id, ...days } });
  const { json } = await paylink("tenants", "list");
  expect(json.find((tenant: { id: string }) => tenant.id === id)).toMatchObject(days);
  const empty = await paylink("tenants", "update", id);
  expect(empty).toMatchObject({ code: 1, json: undefined });
  expect(empty.stderr).toContain("give a setting to change");
});

test("paylink payments exceptions lists the ids that refund takes, and with --open those that can be given back", async () => {
  const shop = await createMerchant(service);
  const { id, paymentId } = await new RefundScene(service, shop, rows).lateMoney();
  const list = async (...more: string[]) =>
    await paylink("payments", "exceptions", "--tenant", shop.tenant.id, "--mode", "test", ...more);
  const listed = { id, payment_id: paymentId, reason: "late", amount: 15_990, refund_amount: 0 };
  expect(await list()).toMatchObject({ code: 0, json: [listed] });
  expect((await list("--open")).json).toHaveLength(1);
  const made = await paylink("payments", "refund", id, "--tenant", shop.tenant.id, "--mode", "test");
  expect(made).toMatchObject({ code: 0, json: { exception_id: id } });
  expect((await list("--open")).json).toEqual([]);
  expect((await list()).json).toMatchObject([{ ...listed, refund_amount: 15_990 }]);
});

test("paylink payments refund that the provider refuses prints the refund, says so and exits 1", async () => {
  const scene = new RefundScene(service, merchant, rows);
  const id = await scene.paidByPix();
  await scene.atProvider(id, "waiting");
  const failed = await refund(id);
  expect(failed).toMatchObject({ code: 1, json: { payment_id: id, status: "failed" } });
  expect(failed.stderr).toContain(`the provider refused ${failed.json.id}`);
});

test("paylink payments end-refund ends one that its provider should have and has not, and no other", async () => {
  const id = await new RefundScene(service, merchant, rows).paidByPix();
  const { json } = await refund(id, "--amount", "100");
  const lost = newId("ref");
  await rows.run(
    `INSERT INTO test.refund (tenant_id, id, payment_id, provider_payment_id, origin, amount_minor, status, fee_rule,
        created_at, check_at, change_count, sent_at)
      SELECT tenant_id, $2, payment_id, provider_payment_id, 'merchant', 1, 'requested', 'merchant', created_at,
        created_at, 0, to_timestamp(0) FROM test.charge WHERE payment_id = $1`,
    [id, lost],
  );
  await rows.run("UPDATE test.payment SET refund_reserved_minor = 101 WHERE id = $1", [id]);
  const end = async (refundId: string) =>
    await paylink("payments", "end-refund", refundId, "--tenant", merchant.tenant.id, "--mode", "test");
  expect(await end(json.id)).toMatchObject({ code: 0, json: { status: "succeeded" } });
  expect(await end(lost)).toMatchObject({ code: 0, json: { id: lost, status: "failed" } });
  expect((await end("ref_unknown")).stderr).toContain("There is no such refund");
});
