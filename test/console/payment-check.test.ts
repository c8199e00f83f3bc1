import { expect, test } from "vitest";
import { paidAtProvider } from "../checkout/paid-at-provider.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";
import { RefundScene } from "../refunds/scene.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const client = async (role: "finance" | "developer" | "viewer") =>
  new ConsoleClient(service, await createUser(service, merchant.tenant.id, role));

async function started(): Promise<{ id: string; payer: Payer; page: string }> {
  const payer = new Payer(service, await merchant.newLink());
  await payer.open();
  const { paymentId: id } = await payer.start();
  return { id, payer, page: `/console/test/payments/${id}` };
}

test("the button asks the sandbox, and the page says in both languages what it answered", async () => {
  const { id, page } = await started();
  const finance = await client("finance");
  expect((await finance.get(page)).body).toContain(`${page}/check`);
  const first = await finance.post(page, `${page}/check`, {});
  expect(first.headers.location).toBe(`${page}?done=check_not_paid`);
  expect((await finance.get(`${page}?done=check_not_paid`)).body).toContain("não tem dinheiro deste");
  await paidAtProvider(service, id);
  const second = await finance.post(page, `${page}/check`, {});
  expect(second.headers.location).toBe(`${page}?done=check_paid`);
  const { body } = await finance.get(`${page}?done=check_paid&lang=en`);
  expect(body).toContain("The bank confirms it: it is paid.");
  expect(body).not.toContain(`${page}/check`);
});

test("a card that its holder has not confirmed is in progress", async () => {
  const payer = new Payer(service, await merchant.newLink({ payment_methods: ["card"] }));
  await payer.open();
  const { paymentId } = await payer.card("tok_challenge");
  const { body } = await merchant.api.post(`/v1/payments/${paymentId}/check`, "");
  expect(body).toMatchObject({ answer: "in_progress", payment: { status: "processing" } });
});

test("a bank transfer and a simulated payment have no bank to ask", async () => {
  const { id } = (await merchant.pay({}, { outcome: "failed" })).body;
  const simulated = await merchant.api.post(`/v1/payments/${id}/check`, "");
  expect(simulated.body).toMatchObject({ answer: "not_asked", payment: { id, status: "failed" } });
  const transfer = await new RefundScene(service, merchant, rows).paidByTransfer();
  const { body } = await merchant.api.post(`/v1/payments/${transfer}/check`, "");
  expect(body).toMatchObject({ answer: "paid", payment: { id: transfer } });
});

test("a viewer has no button, and is refused", async () => {
  const { page } = await started();
  const viewer = await client("viewer");
  expect((await viewer.get(page)).body).not.toContain(`${page}/check`);
  expect((await viewer.post(page, `${page}/check`, {})).statusCode).toBe(403);
  expect((await (await client("developer")).get(page)).body).toContain(`${page}/check`);
});
