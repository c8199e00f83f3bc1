import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const DAY_SECONDS = 86_400;

const storedOf = async (tenantId: string): Promise<number[]> =>
  await Promise.all(
    ["quote", "price", "fx_rate_history", "past_quote"].map(
      async (table) => await rows.count(`test.${table} WHERE tenant_id = $1`, [tenantId]),
    ),
  );

test("a week after their end, quotes that were not accepted are gone with prices and rates, and accepting stays refused", async () => {
  // The steps take longer than the second before the end.
  service.clock.stop();
  const [merchant, other] = [await createMerchant(service), await createMerchant(service)];
  const { api, links, as, tenant } = merchant;
  const { body: options } = await api.post("/v1/quotes", { amount: 15_990, currency: "USD" });
  const { body: quote } = await api.post("/v1/quotes", {
    amount: 15_990,
    currency: "USD",
    payment_method: "pix",
  });
  await api.post("/v1/quotes", { amount: 15_990, currency: "BRL", payment_method: "pix" });
  const { body: link } = await api.post(`/v1/quotes/${quote.id}/accept`, { name: "Shoes" });
  const { scenarios } = options as {
    scenarios: { pix: { quote_id: string }; card: unknown[]; ted: unknown };
  };
  const optionCount =
    [scenarios.pix, scenarios.ted].filter((one) => one != null).length + scenarios.card.length;
  const accepted = await links.getPaymentLink({ id: link.id }, as);
  const all = [optionCount + 2, optionCount + 2, 2, 0];
  expect(await storedOf(tenant.id)).toEqual(all);
  service.clock.advance(1800 + 7 * DAY_SECONDS - 1);
  await service.core.tasks.removePast();
  expect(await storedOf(tenant.id)).toEqual(all);
  service.clock.advance(1);
  await service.core.tasks.removePast();
  expect(await storedOf(tenant.id)).toEqual([1, 1, 1, optionCount + 1]);
  const after = await links.getPaymentLink({ id: link.id }, as);
  expect(after.paymentLink).toMatchObject({ id: link.id, amount: accepted.paymentLink?.amount });
  const accept = `/v1/quotes/${scenarios.pix.quote_id}/accept`;
  expectError(await api.post(accept, { name: "Shoes" }), { status: 400, code: "quote_expired" });
  expectError(await other.api.post(accept, { name: "Shoes" }), { status: 404, code: "quote_not_found" });
  expectError(await api.post(`/v1/quotes/${quote.id}/accept`, { name: "Shoes" }), {
    status: 400,
    code: "quote_consumed",
  });
});

test("an accepted quote cannot be deleted, not even as a past one", async () => {
  const { api } = await createMerchant(service);
  const { body: quote } = await api.post("/v1/quotes", {
    amount: 15_990,
    currency: "BRL",
    payment_method: "pix",
  });
  await api.post(`/v1/quotes/${quote.id}/accept`, { name: "Shoes" });
  const remove = async (): Promise<void> =>
    await rows.run("DELETE FROM test.quote WHERE id = $1", [quote.id]);
  await expect(remove()).rejects.toThrow("is not removed");
  await rows.run("SELECT set_config('paylink.removal', 'past quotes', false)");
  await expect(remove()).rejects.toThrow("is not removed");
});
