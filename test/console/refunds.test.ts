import { expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { PASSWORD } from "../support/users.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const client = async (role: "owner" | "finance" | "developer" | "viewer") =>
  new ConsoleClient(service, await createUser(service, merchant.tenant.id, role));

test("finance gives back a part of a payment, which its page then lists", async () => {
  const finance = await client("finance");
  const { id } = (await merchant.pay()).body;
  const page = `/console/test/payments/${id}`;
  expect((await finance.get(page)).body).toContain(`${page}/refund`);
  const form = { amount: "50,00", reason: "Tamanho errado", password: PASSWORD };
  const { headers } = await finance.post(`${page}/refund`, `${page}/refund`, form);
  expect(headers.location).toBe(`${page}?done=refunded`);
  const { body } = await finance.get(`${page}?lang=en`);
  expect(body).toMatch(/ref_[0-9a-z]{26}/);
  expect(body).toContain("given back");
  expect((await merchant.api.get(`/v1/payments/${id}`)).body.refunded_amount).toBe(5000);
});

test("too much is refused beside the field, and nothing goes back", async () => {
  const owner = await client("owner");
  const { id } = (await merchant.pay()).body;
  const page = `/console/test/payments/${id}/refund`;
  const { statusCode, body } = await owner.post(page, page, { amount: "159,91", password: PASSWORD });
  expect(statusCode).toBe(422);
  expect(body).toContain('id="field-amount-problem"');
  expect((await merchant.api.get(`/v1/payments/${id}/refunds`)).body.data).toEqual([]);
});

test("a developer and a viewer are not offered it", async () => {
  const { id } = (await merchant.pay()).body;
  for (const role of ["developer", "viewer"] as const) {
    const other = await client(role);
    expect((await other.get(`/console/test/payments/${id}`)).body).not.toContain("/refund");
    expect((await other.get(`/console/test/payments/${id}/refund`)).statusCode).toBe(403);
  }
});
