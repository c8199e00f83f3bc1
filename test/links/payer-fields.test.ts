import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import {
  IdentityService,
  PayerFieldRule,
  type UpdateTenantRequest,
} from "../../gen/paylink/identity/v1/identity_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const { OPTIONAL, REQUIRED } = PayerFieldRule;

const setUsual = async (payerFields: Partial<NonNullable<UpdateTenantRequest["payerFields"]>>) =>
  await createClient(IdentityService, service.core.transport).updateTenant(
    { tenantId: merchant.tenant.id, payerFields },
    service.internal,
  );
const read = async (id: string) => (await merchant.api.get(`/v1/payment_links/${id}`)).body;

test("a link has the tenant's payer_fields where it gives none, its own where it does, and no key for nothing", async () => {
  const before = await merchant.newLink();
  expect(await read(before)).not.toHaveProperty("payer_fields");
  const { tenant } = await setUsual({ name: REQUIRED, taxId: OPTIONAL });
  expect(tenant?.payerFields).toMatchObject({ name: REQUIRED, taxId: OPTIONAL });
  expect((await read(await merchant.newLink())).payer_fields).toEqual({
    name: "required",
    tax_id: "optional",
  });
  const own = { email: "required" };
  expect((await read(await merchant.newLink({ payer_fields: own }))).payer_fields).toEqual(own);
  expect(await read(await merchant.newLink({ payer_fields: {} }))).not.toHaveProperty("payer_fields");
  expect(await read(before)).not.toHaveProperty("payer_fields");
  await setUsual({});
  expect(await read(await merchant.newLink())).not.toHaveProperty("payer_fields");
});

test("a link of an accepted quote asks for what the tenant asks for", async () => {
  await setUsual({ email: OPTIONAL });
  const given = { amount: 15_990, currency: "BRL", payment_method: "pix" };
  const { body: quote } = await merchant.api.post("/v1/quotes", given);
  const { body: accepted } = await merchant.api.post(`/v1/quotes/${quote.id}/accept`, { name: "Tênis" });
  expect((await read(accepted.id)).payer_fields).toEqual({ email: "optional" });
  await setUsual({});
});
