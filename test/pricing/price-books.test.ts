import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { AnnouncedCache } from "../../src/platform/cache.ts";
import { openEnvironment, type Environment } from "../../src/platform/database.ts";
import { pricingEntities } from "../../src/pricing/entities.ts";
import { PriceBooks } from "../../src/pricing/price-books.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const pricing = createClient(PricingService, service.core.transport);
const url = service.databaseUrl;
const environment: Environment = await openEnvironment({
  url,
  schema: "test",
  entities: pricingEntities,
  poolMax: 2,
});
await forFile(Promise.resolve({ close: async () => await environment.orm.close(true) }));
const cache = new AnnouncedCache(url, () => undefined);
await cache.listen();
await forFile(Promise.resolve(cache));
const books = new PriceBooks({
  cache,
  environments: { test: environment, live: environment },
  findOverrides: async () => await Promise.resolve(new Map()),
});

test("tenants without rules of their own share one book, and one with its own has it beside them", async () => {
  const [one, other, own] = [
    await createMerchant(service),
    await createMerchant(service),
    await createMerchant(service),
  ];
  const of = async ({ tenant }: typeof one) => await books.of("test", tenant.id);
  expect(await of(one)).toBe(await of(other));
  const rule = { paymentMethod: PaymentMethod.PIX, currency: "BRL", percentPpm: 12_345n };
  await pricing.putPricingRule({ tenantId: own.tenant.id, mode: Mode.TEST, ...rule }, service.internal);
  const percentOf = async (merchant: typeof one) => (await of(merchant)).ruleFor("pix", "BRL")?.percentPpm;
  await expect.poll(async () => await percentOf(own)).toBe(12_345n);
  expect(await percentOf(one)).not.toBe(12_345n);
  expect(await of(one)).toBe(await of(other));
  // Its own rules come beside the default ones, and a rate is for all.
  expect((await of(own)).ruleFor("card", "BRL")).toEqual((await of(one)).ruleFor("card", "BRL"));
  const spot = { mode: Mode.TEST, spotMicros: 5_432_100n, maxAgeSeconds: 86_400n };
  await pricing.publishFxRate(spot, service.internal);
  for (const merchant of [one, own]) {
    await expect.poll(async () => (await of(merchant)).spot?.spotMicros).toBe(5_432_100n);
  }
  expect(await percentOf(own)).toBe(12_345n);
});
