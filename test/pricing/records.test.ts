import { createClient } from "@connectrpc/connect";
import { afterAll, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { pricingEntities } from "../../src/pricing/entities.ts";
import { findNewestSpot, findOwnRecords, RateHistoryIds } from "../../src/pricing/repository.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const pricing = createClient(PricingService, service.core.transport);
const url = service.databaseUrl;
const environment = await openEnvironment({ url, schema: "test", entities: pricingEntities, poolMax: 2 });
afterAll(async () => await environment.orm.close(true));
const rows = await forFile(new DatabaseRows(url).open());

/** Writes a row again after all others, as it would be but for what is given. */
async function writeAgain(table: string, id: string, given: Record<string, unknown>): Promise<void> {
  await rows.run(
    `INSERT INTO test.${table} SELECT (jsonb_populate_record(r, $2)).* FROM test.${table} r WHERE id = $1`,
    [id, JSON.stringify(given)],
  );
}

const EARLIER = "2020-01-01T00:00:00Z";
const LATER = "2100-01-01T00:00:00Z";

describe("of what is in force the newest counts, in whatever order the rows lie:", () => {
  test("a tenant's rules", async () => {
    const { tenant } = await createMerchant(service);
    const rule = { paymentMethod: PaymentMethod.PIX, currency: "BRL", percentPpm: 10_000n };
    await pricing.putPricingRule({ tenantId: tenant.id, mode: Mode.TEST, ...rule }, service.internal);
    const ids = async () =>
      (await findOwnRecords(environment, tenant.id, new Date(service.clock.nowMs()))).rules
        .filter(({ tenantId }) => tenantId === tenant.id)
        .map(({ id }) => id);
    const [id = ""] = await ids();
    await writeAgain("pricing_rule", id, { id: "zzz", created_at: EARLIER });
    await writeAgain("pricing_rule", id, { id: "aaa" });
    // Of any number of versions the newest of each kind is read.
    expect(await ids()).toEqual([id]);
    await writeAgain("pricing_rule", id, { id: "yyy", currency: "USD", created_at: EARLIER });
    await writeAgain("pricing_rule", id, { id: "xxx", currency: "USD", created_at: EARLIER });
    expect(await ids()).toEqual(["yyy", id]);
  });

  test("a tenant's policies", async () => {
    const { tenant } = await createMerchant(service);
    const policy = { coveragePpm: 15_000n, iofPpm: 0n, iofEnabled: false };
    await pricing.putFxPolicy({ tenantId: tenant.id, mode: Mode.TEST, ...policy }, service.internal);
    const ids = async () =>
      (await findOwnRecords(environment, tenant.id, new Date(service.clock.nowMs()))).policies
        .filter(({ tenantId }) => tenantId === tenant.id)
        .map(({ id }) => id);
    const [id = ""] = await ids();
    await writeAgain("fx_policy", id, { id: "zzz", valid_from: EARLIER });
    await writeAgain("fx_policy", id, { id: "aaa" });
    expect(await ids()).toEqual([id]);
    await writeAgain("fx_policy", id, { id: "yyy", valid_from: LATER });
    await writeAgain("fx_policy", id, { id: "xxx", valid_from: LATER });
    expect(await ids()).toEqual([id, "xxx", "yyy"]);
  });

  test("a tenant's policies with times of their own, of which 100 are to come at most", async () => {
    const { tenant } = await createMerchant(service);
    const policy = { coveragePpm: 15_000n, iofPpm: 0n, iofEnabled: false };
    const put = async (validFrom?: { seconds: bigint; nanos: number }) =>
      await codeOf(
        pricing.putFxPolicy(
          { tenantId: tenant.id, mode: Mode.TEST, ...policy, ...(validFrom ? { validFrom } : {}) },
          service.internal,
        ),
      );
    const later = (hours: number) => ({
      seconds: BigInt(Math.floor(service.clock.nowMs() / 1000) + hours * 3600),
      nanos: 0,
    });
    expect(await put()).toBe("ok");
    for (let hours = 1; hours <= 100; hours++) expect(await put(later(hours))).toBe("ok");
    expect(await put(later(101))).toBe("quota_exceeded");
    expect(await put()).toBe("ok");
  });

  test("the spot rates", async () => {
    const spot = { mode: Mode.TEST, spotMicros: 5_432_100n, maxAgeSeconds: 4_000_000_000n };
    await pricing.publishFxRate(spot, service.internal);
    const newest = async () => (await findNewestSpot(environment))?.id;
    const id = (await newest()) ?? "";
    await writeAgain("fx_spot", id, { id: `zzz${id}`, published_at: EARLIER });
    await writeAgain("fx_spot", id, { id: `aaa${id}` });
    expect(await newest()).toBe(id);
  });
});

describe("the numbers of locked rates", () => {
  const block = async () =>
    BigInt(
      String((await rows.read("SELECT last_value AS block FROM test.fx_rate_history_block"))[0]?.["block"]),
    );

  test("are each given once, however many cores there are", async () => {
    const cores = [new RateHistoryIds(environment), new RateHistoryIds(environment)];
    const given: bigint[] = [];
    for (let count = 0; count < 250; count++) for (const core of cores) given.push(await core.next());
    expect(new Set(given).size).toBe(500);
  });

  test("are those of a block of 100, one after the other, and then those of the next", async () => {
    const core = new RateHistoryIds(environment);
    const first = await core.next();
    expect(first).toBe(((await block()) - 1n) * 100n + 1n);
    const own = [first];
    for (let count = 0; count < 99; count++) own.push(await core.next());
    expect(own).toEqual(Array.from({ length: 100 }, (_, index) => first + BigInt(index)));
    expect(await core.next()).toBe(first + 100n);
  });
});
