import { createClient, type Client } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let owner: ConsoleClient;
let pricing: Client<typeof PricingService>;
beforeAll(async () => {
  service = await startService();
  service.clock.stop();
  const { tenant } = await createMerchant(service, { payoutCurrency: "USD" });
  owner = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
  pricing = createClient(PricingService, service.core.transport);
});
afterAll(async () => await service.close());

test("the console shows a rate's age, and says when the newest one is too old", async () => {
  const prices = async () =>
    (await owner.get("/console/test/quotes/prices?amount=100&currency=BRL", { "hx-request": "true" })).body;
  service.clock.advance(60);
  const rate = { mode: Mode.TEST, spotMicros: 5_500_000n, maxAgeSeconds: 7200n };
  await pricing.publishFxRate(rate, service.internal);
  expect(await prices()).toContain("Publicada há 0 h.");
  // A session without a request ends sooner.
  for (let time = 0; time < 6; time++) {
    service.clock.advance(time === 0 ? 1199 : 1200);
    await prices();
  }
  expect(await prices()).toContain("Publicada há 1 h.");
  service.clock.advance(1);
  const stale = await prices();
  expect(stale).toContain(
    "Não há cotação do dólar em vigor: nenhuma foi publicada, ou a última é velha demais.",
  );
  expect(stale).not.toContain("Publicada há");
});
