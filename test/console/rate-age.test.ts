import { createClient } from "@connectrpc/connect";
import { afterAll, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { startScene } from "../support/live-rates.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const service = await forFile(startService());
service.clock.stop();
const { tenant: of } = await createMerchant(service, { payoutCurrency: "USD" });
const owner = new ConsoleClient(service, await createUser(service, of.id, "owner"));
const pricing = createClient(PricingService, service.core.transport);

test("the console shows a rate's age, and says when the newest one is too old", async () => {
  const prices = async () =>
    (await owner.get("/console/test/quotes/prices?amount=100&currency=BRL", { "hx-request": "true" })).body;
  service.clock.advance(60);
  const rate = { mode: Mode.TEST, spotMicros: 5_500_000n, maxAgeSeconds: 7200n };
  await pricing.publishFxRate(rate, service.internal);
  expect(await prices()).toContain("Publicado há 0 h, e vale por 2 h.");
  // A session without a request ends sooner.
  for (let time = 0; time < 6; time++) {
    service.clock.advance(time === 0 ? 1199 : 1200);
    await prices();
  }
  expect(await prices()).toContain("Publicado há 1 h, e vale por 2 h.");
  service.clock.advance(1);
  const stale = await prices();
  expect(stale).toContain(
    "Não há câmbio do dólar em vigor: nenhum foi publicado, ou o último é velho demais.",
  );
  expect(stale).toContain("é velho demais. Publicado há 2 h, e vale por 2 h.");
});

describe("a rate of the central bank", () => {
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  test("ages on the console while banks are open, a jump is shown as held until it is released, and a stale one as too old", async () => {
    const scene = await startScene(ends);
    const { olinda } = scene;
    const { tenant } = await createMerchant(scene.service, { payoutCurrency: "USD" }, "live");
    const prices = async (time: string) => {
      scene.at(time);
      const by = new ConsoleClient(scene.service, await createUser(scene.service, tenant.id, "owner"));
      const page = "/console/live/quotes/prices?amount=100&currency=BRL&lang=en";
      return (await by.get(page, { "hx-request": "true" })).body;
    };
    olinda.publish("2031-03-07 13:00:00", "5.5");
    await scene.askAt("2031-03-07T14:00");
    const young = await prices("2031-03-10T11:00");
    // Over the weekend: 70 hours by the clock.
    expect(young).toContain("Published 22 bank-open hours ago, and holds for 30 of them.");
    expect(young).not.toContain("A rate is held back");

    olinda.publish("2031-03-10 13:00:00", "5.94");
    await scene.askAt("2031-03-10T14:00");
    const [held] = await scene.held();
    const holding = await prices("2031-03-10T14:01");
    for (const text of [
      "A rate is held back: US$1 = R$5.940000, of PTAX of 10 Mar 2031, 13:00, +8.0% from the one before it, R$5.500000.",
      `paylink fx release ${held?.id} --mode live`,
      "Published 25 bank-open hours ago",
    ]) {
      expect(holding).toContain(text);
    }
    const stale = await prices("2031-03-10T19:00");
    expect(stale).toContain("is too old. Published 30 bank-open hours ago, and holds for 30 of them.");
    expect(stale).toContain("A rate is held back");

    await scene.release(held?.id ?? "");
    const released = await prices("2031-03-10T19:01");
    expect(released).not.toContain("A rate is held back");
    expect(released).toContain("Published 6 bank-open hours ago");
    scene.service.faults.length = 0;
  });
});
