import { createClient } from "@connectrpc/connect";
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("a key's SHA-256 is stored, and its plaintext nowhere", async () => {
  const { id, key } = await service.createKey(merchant.tenant.id, "test");
  const tables = await rows.read(
    "SELECT table_schema || '.' || table_name AS name FROM information_schema.tables WHERE table_schema IN ('identity', 'live', 'test') AND table_type = 'BASE TABLE'",
  );
  expect(tables.length).toBeGreaterThan(20);
  for (const { name } of tables) {
    const held = await rows.count(`${String(name)} t WHERE strpos(t::text, $1) > 0`, [key.slice(9)]);
    expect({ name, held }).toEqual({ name, held: 0 });
  }
  const kept = "identity.api_key WHERE id = $1 AND key_hash = $2";
  expect(await rows.count(kept, [id, hash("sha256", key)])).toBe(1);
});

test("the terms of a quote stay as they were signed, and an accepted quote as it is", async () => {
  const { body } = await merchant.api.post("/v1/quotes", {
    amount: 5000,
    currency: "BRL",
    payment_method: "pix",
  });
  const id: string = body.id;
  const kept = /the terms of quote qt_\w+ are kept as they are/;
  const changed = async (set: string): Promise<void> =>
    await rows.run(`UPDATE test.quote SET ${set} WHERE id = $1`, [id]);
  await expect(changed("expires_at = expires_at + interval '1 hour'")).rejects.toThrow(kept);
  await expect(changed("signature = 'x'")).rejects.toThrow(kept);
  await expect(changed("price_id = 'prc_x'")).rejects.toThrow(kept);
  await expect(changed(`fee_strategy = '{"a": 1}'`)).rejects.toThrow(kept);
  expect((await merchant.api.post(`/v1/quotes/${id}/accept`, { name: "Shoes" })).status).toBe(201);
  await expect(changed("consumed_at = NULL")).rejects.toThrow(kept);
});

test("a link that absorbs must leave a net by every number of installments that it offers", async () => {
  const create = async (max_installments: number) =>
    await merchant.api.post("/v1/payment_links", {
      amount: 101,
      currency: "BRL",
      payment_methods: ["card"],
      max_installments,
    });
  expect((await create(1)).status).toBe(201);
  expectError(await create(2), { code: "merchant_net_not_positive" });
});

test("a simulation moves on the payment that a payer has under way by that method", async () => {
  const link = await merchant.newLink();
  const payer = new Payer(service, link);
  await payer.open();
  const { paymentId } = await payer.start();
  const byCard = await merchant.simulate(link, { outcome: "failed", payment_method: "card" });
  expect(byCard.body.id).not.toBe(paymentId);
  const byPix = await merchant.simulate(link);
  expect(byPix.body).toMatchObject({ id: paymentId, status: "succeeded" });
});

// Last: the rate stays past its age.
test("a link with a conversion needs a rate that is not past its age: quote_fx_required", async () => {
  const pricing = createClient(PricingService, service.core.transport);
  const spot = { mode: Mode.TEST, spotMicros: 5_432_100n, maxAgeSeconds: 60n };
  await pricing.publishFxRate(spot, service.internal);
  const create = async () => await merchant.api.post("/v1/payment_links", { amount: 5000, currency: "USD" });
  expect((await create()).status).toBe(201);
  service.clock.advance(61);
  expectError(await create(), { code: "quote_fx_required" });
});
