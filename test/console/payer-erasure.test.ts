import { expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";
import { PASSWORD } from "../support/users.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const client = async (role: "owner" | "finance") =>
  new ConsoleClient(service, await createUser(service, merchant.tenant.id, role));
const owner = await client("owner");
const PHONE = "+5511912345678";

/** Starts a payment whose payer gives a telephone number. Returns its page, and what ends it. */
async function started(): Promise<{ page: string; payer: Payer; paymentId: string }> {
  const payer = new Payer(service, await merchant.newLink({ collect_fields: ["phone"] }));
  await payer.open();
  const { paymentId } = await payer.start({ payer: { phone: PHONE } });
  return { page: `/console/test/payments/${paymentId}`, payer, paymentId };
}

const erase = async (page: string, form: Record<string, string> = { password: PASSWORD }) =>
  await owner.post(`${page}/erase-payer`, `${page}/erase-payer`, form);

test("an owner erases what a payer gave, with the password, and payment, books and log say the rest", async () => {
  const { page, payer, paymentId } = await started();
  await payer.simulate(SandboxAction.APPROVE);
  const kept = async () => [
    (await merchant.api.get(`/v1/payments/${paymentId}`)).body,
    await merchant.ledger.listLedgerEntries({ paymentId }, merchant.as),
  ];
  const before = await kept();
  expect((await owner.get(page)).body).toContain(`href="${page}/erase-payer"`);
  expect((await owner.get(`${page}?payer=show`)).body).toContain(PHONE);
  const form = (await owner.get(`${page}/erase-payer?lang=en`)).body;
  expect(form).toContain("which cannot be undone");
  expect(form).not.toContain(PHONE.slice(-8));
  const wrong = await erase(page, { password: "another password" });
  expect([wrong.statusCode, (await owner.get(`${page}?payer=show`)).body.includes(PHONE)]).toEqual([
    422,
    true,
  ]);

  const { statusCode, headers } = await erase(page);
  expect([statusCode, headers.location]).toEqual([303, `${page}?done=erased`]);
  expect((await owner.get(`${page}?done=erased&lang=en`)).body).toContain(
    "The payer&#39;s details were erased.",
  );
  const shown = (await owner.get(`${page}?payer=show&lang=pt-BR`)).body;
  expect(shown).toContain("Os dados foram apagados em");
  expect(shown).not.toContain(PHONE.slice(-8));
  expect(shown).not.toContain("/erase-payer");
  expect(await kept()).toEqual(before);
  const log = (await owner.get("/console/test/audit?lang=pt-BR")).body;
  expect(log).toMatch(new RegExp(`Apagou os dados de um pagador[^]*?${paymentId}`));
  expect(log).not.toContain(PHONE.slice(-8));
});

test("a payment of which money may come, or whose payer gave nothing, is refused in words", async () => {
  const { page, payer } = await started();
  const open = await erase(page);
  expect([open.statusCode, open.body.includes("Ainda pode chegar dinheiro")]).toEqual([422, true]);
  await payer.simulate(SandboxAction.DECLINE);
  expect((await erase(page)).statusCode).toBe(303);
  const { id } = (await merchant.pay()).body;
  const unasked = await erase(`/console/test/payments/${id}`);
  expect([unasked.statusCode, unasked.body.includes("Nada foi pedido a quem pagou.")]).toEqual([422, true]);
});

test("a role that may read payers, and no more, has no such form", async () => {
  const { page } = await started();
  const finance = await client("finance");
  expect((await finance.get(`${page}?payer=show`)).body).not.toContain("/erase-payer");
  expect((await finance.get(`${page}/erase-payer`)).statusCode).toBe(403);
});
