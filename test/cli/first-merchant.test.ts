import { createClient } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { HEADERS } from "../../contract/headers.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { createCore } from "../../src/app.ts";
import { MovableClock } from "../support/clock.ts";
import { faultOf } from "../support/command-line.ts";
import { coreOptions, CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";
import { runCommand } from "../support/process.ts";

const { url } = await cloneDatabase();
const faults: unknown[] = [];
// A core as containers start it: without the demo's rules.
const core = await forFile(createCore(coreOptions(url, new MovableClock(), faults)));
const ports = await forFile(openCorePorts(core));

async function paylink(...args: string[]) {
  const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };
  const { code, stdout, stderr } = await runCommand([...args, "--json"], env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
const newTenant = async (...more: string[]) => await paylink("tenants", "create", "--name", "Shop", ...more);
const as = (tenant: string) => ({
  headers: {
    authorization: `Bearer ${CORE_TOKEN}`,
    [HEADERS.tenant]: tenant,
    [HEADERS.mode]: "test",
    [HEADERS.idempotencyKey]: randomUUID(),
  },
});
const pricing = createClient(PricingService, core.transport);
const links = createClient(LinksService, core.transport);
const wanted = { amount: 15_990n, currency: "BRL" };
const quote = async (tenant: string, more: object = {}) =>
  await pricing.createQuote({ ...wanted, paymentMethod: PaymentMethod.PIX, ...more }, as(tenant));
const link = async (tenant: string) =>
  await links.createPaymentLink({ ...wanted, paymentMethods: { values: [PaymentMethod.CARD] } }, as(tenant));

test("a new merchant is told what is missing, a refusal names the rule, and rules init lets it sell", async () => {
  const { id, missing } = await newTenant("--payout-currency", "BRL");
  const rules = { missing: "pricing rules: pix in BRL, card in BRL" };
  expect(missing).toMatchObject([
    { mode: "test", ...rules, command: `paylink rules init --tenant ${id} --mode test --preset brl` },
    { mode: "live", ...rules },
    { mode: "live", missing: "account at a payment provider" },
  ]);
  for (const { command } of missing) expect(faultOf(command)).toBeNull();
  await expect(quote(id)).rejects.toThrow(
    "pix is not offered here: there is no pricing rule for pix with fees in BRL, which prices BRL paid out in BRL.",
  );
  await expect(link(id)).rejects.toThrow("there is no pricing rule for card with fees in BRL");

  const own = ["--tenant", id, "--mode", "test"];
  const put = ["--method", "pix", "--currency", "BRL", "--percent-ppm", "0", "--fixed", "1", "--min", "1"];
  const { rule_id: pix } = await paylink("rules", "put", ...own, ...put);
  const made = await paylink("rules", "init", ...own, "--preset", "brl");
  expect(made).toMatchObject([
    { rule_id: pix, method: "pix", currency: "BRL", result: "kept" },
    { method: "ted", currency: "BRL", result: "added" },
    { method: "card", currency: "BRL", result: "added" },
  ]);
  const again = await paylink("rules", "init", ...own, "--preset", "brl");
  expect(again).toEqual(made.map((row: object) => ({ ...row, result: "kept" })));
  const { result } = await quote(id);
  expect(result).toMatchObject({ case: "quote", value: { ruleId: pix } });
  await link(id);
});

test("a merchant that is paid out in USD is told of rate and policy too, and by what the refusal can be mended", async () => {
  const { id, missing } = await newTenant("--payout-currency", "USD", "--methods", "pix");
  expect(missing.filter(({ mode }: { mode: string }) => mode === "test")).toMatchObject([
    { missing: "pricing rules: pix in BRL, pix in USD", command: expect.stringContaining("--preset all") },
    { missing: "exchange rate policy", command: expect.stringContaining("paylink fx policy") },
    { missing: "exchange rate", command: expect.stringContaining("paylink fx publish") },
  ]);
  for (const { command } of missing) expect(faultOf(command)).toBeNull();
  await expect(quote(id, { currency: "USD" })).rejects.toThrow(
    "there is no pricing rule for pix with fees in USD, which prices USD paid out in USD",
  );
  for (const { mode, command } of missing) {
    if (mode === "test") await paylink(...command.split(" ").slice(1));
  }
  const { result } = await quote(id, { currency: "USD" });
  expect(result).toMatchObject({ case: "quote", value: { receiverCurrency: "USD" } });
  const later = await newTenant("--payout-currency", "USD", "--methods", "pix");
  expect(later.missing.filter(({ mode }: { mode: string }) => mode === "test")).toMatchObject([
    { missing: "pricing rules: pix in BRL, pix in USD" },
  ]);
});
