import { createClient } from "@connectrpc/connect";
import type { QueryConfig } from "pg";
import { expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { AnnouncedCache } from "../../src/platform/db/cache.ts";
import { openEnvironment, type Environment } from "../../src/platform/db/database.ts";
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
  clock: service.clock,
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

test("a further change of a tenant's own prices leaves the book of all others as it is", async () => {
  const [one, own] = [await createMerchant(service), await createMerchant(service)];
  const of = async ({ tenant }: typeof one) => await books.of("test", tenant.id);
  const put = async (percentPpm: bigint) => {
    const rule = { paymentMethod: PaymentMethod.PIX, currency: "BRL", percentPpm };
    await pricing.putPricingRule({ tenantId: own.tenant.id, mode: Mode.TEST, ...rule }, service.internal);
    await expect.poll(async () => (await of(own)).ruleFor("pix", "BRL")?.percentPpm).toBe(percentPpm);
  };
  await put(11_111n);
  const before = await of(one);
  await put(22_222n);
  expect(await of(one)).toBe(before);
});

test("a change between the reads of what is shared and of a tenant's own is in the next book", async () => {
  const own = await createMerchant(service);
  const rule = { paymentMethod: PaymentMethod.PIX, currency: "BRL", percentPpm: 23_456n };
  await pricing.putPricingRule({ tenantId: own.tenant.id, mode: Mode.TEST, ...rule }, service.internal);
  const spot = (spotMicros: bigint) => ({ mode: Mode.TEST, spotMicros, maxAgeSeconds: 86_400n });
  await pricing.publishFxRate(spot(5_000_000n), service.internal);
  // Reads what is shared, and is held up before it keeps it.
  const held = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const pool = {
    query: async (statement: QueryConfig) => {
      if (statement.name === "list priced tenants") {
        reading.resolve();
        await held.promise;
      }
      return await environment.pool.query(statement);
    },
  };
  const live = { ...environment, pool } as unknown as Environment;
  const slow = new PriceBooks({
    clock: service.clock,
    cache,
    environments: { test: environment, live },
    findOverrides: async () => await Promise.resolve(new Map()),
  });
  cache.drop("pricing:live");
  const first = slow.of("live", own.tenant.id);
  await reading.promise;
  await pricing.publishFxRate(spot(6_000_000n), service.internal);
  cache.drop("pricing:live");
  held.resolve();
  await first;
  await expect.poll(async () => (await slow.of("live", own.tenant.id)).spot?.spotMicros).toBe(6_000_000n);
});
