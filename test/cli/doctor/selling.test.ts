import { createClient } from "@connectrpc/connect";
import pg from "pg";
import { expect, test } from "vitest";
import { judgeRules, lookAtRules } from "../../../cli/operate/doctor/rules.ts";
import { judgeWorker, lookAtWorker } from "../../../cli/operate/doctor/worker.ts";
import { PRESETS } from "../../../cli/serve/starter-rules.ts";
import { IdentityService, Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { createCore } from "../../../src/app.ts";
import { MovableClock } from "../../support/clock.ts";
import { coreOptions, CORE_TOKEN } from "../../support/core-options.ts";
import { cloneDatabase } from "../../support/database.ts";
import { forFile } from "../../support/for-file.ts";
import { finding } from "./examined.ts";

const { url } = await cloneDatabase();
const clock = new MovableClock();
const core = await forFile(createCore(coreOptions(url, clock, [])));
const client = new pg.Client({ connectionString: url });
await client.connect();
await forFile(Promise.resolve({ close: async () => await client.end() }));
const as = { headers: { authorization: `Bearer ${CORE_TOKEN}` } };
const newTenant = async () =>
  await createClient(IdentityService, core.transport).createTenant(
    { name: "Shop", payoutCurrency: "BRL", paymentMethods: ["pix"] },
    as,
  );

test("tenants without a rule are found by mode, until one of their methods has one", async () => {
  const found = async () => judgeRules((await lookAtRules(client)) ?? []);
  expect(await found()).toMatchObject([{ status: "ok" }]);
  const { id } = await newTenant();
  const unpriced = (mode: string) =>
    finding("rules", "warning", new RegExp(`^${mode}: no pricing rule for ${id}:`), /paylink rules init/);
  expect(await found()).toEqual([unpriced("test"), unpriced("live")]);
  const pricing = createClient(PricingService, core.transport);
  const [pix, , card] = PRESETS.brl;
  await pricing.putPricingRule({ tenantId: id, mode: Mode.TEST, ...card! }, as);
  expect(await found()).toHaveLength(2);
  await pricing.putPricingRule({ tenantId: id, mode: Mode.TEST, ...pix! }, as);
  expect(await found()).toEqual([unpriced("live")]);
  await pricing.putPricingRule({ tenantId: "default", mode: Mode.LIVE, ...pix! }, as);
  expect(await found()).toMatchObject([{ status: "ok" }]);
});

test("a database without a worker is found, and one whose worker stopped; a running one is fine", async () => {
  const judged = async (minutes: number, isEmbedded = false) => {
    const trace = await lookAtWorker(client);
    return trace && judgeWorker(trace, clock.nowMs() + minutes * 60_000, isEmbedded);
  };
  await newTenant();
  expect(await judged(1)).toMatchObject({ status: "ok" });
  const none = finding(
    "worker",
    "warning",
    /^none has run on this database yet: no webhook/,
    /--role worker/,
  );
  expect(await judged(11)).toEqual(none);
  const embedded = finding("worker", "warning", /^none has run/, /without --role.* needs DATABASE_URL/);
  expect(await judged(11, true)).toEqual(embedded);
  // As a worker does; the round that is due first says that none took it.
  await core.tasks.check();
  expect(await judged(9)).toMatchObject({ status: "ok" });
  const stopped = finding(
    "worker",
    "warning",
    /^none has taken what is due since \d{4}-.*Z: /,
    /--role worker/,
  );
  expect(await judged(21)).toEqual(stopped);
});
