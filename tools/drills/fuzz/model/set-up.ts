import { createClient } from "@connectrpc/connect";
import { IdentityService, Mode } from "../../../../gen/paylink/identity/v1/identity_pb.ts";
import { FeeHandling, PaymentMethod, PricingService } from "../../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { TestService } from "../../../../test/support/service.ts";
import type { Rule } from "./price.ts";
import type { RuleDraw, ClientPlan, TermsDraw } from "./client-plan.ts";
import type { Spot, Terms, World } from "./world.ts";

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const METHOD = { pix: PaymentMethod.PIX, card: PaymentMethod.CARD, ted: PaymentMethod.TED };
const HANDLING = { absorb: FeeHandling.ABSORB, pass_through: FeeHandling.PASS_THROUGH };
const INSTALLMENTS = 21;
const LIVE_SPOT: Spot = { micros: 5_432_100n, publishedAt: 0, maxAgeSeconds: Number.MAX_SAFE_INTEGER };
const LIVE_POLICY = { coveragePpm: 15_000n, iof: { ppm: 35_000n, isEnabled: false } };

/** The rules that the service under test has for every tenant: those of the vectors of the pricing page. */
const singles = { surchargePpm: [0n], defaultFeeHandling: "absorb" } as const;
const PIX_BRL = { ...singles, percentPpm: 9900n, fixed: 40n, min: 100n, max: 15_000n };
const PIX_USD = { ...singles, percentPpm: 19_900n, fixed: 30n, min: 50n, max: 10_000n };
const SURCHARGE_12_PPM = 104_900n;
const CARD = {
  ...singles,
  percentPpm: 39_900n,
  fixed: 39n,
  min: 100n,
  max: null,
  surchargePpm: Array.from({ length: INSTALLMENTS }, (_, index) => (SURCHARGE_12_PPM * BigInt(index)) / 11n),
};
const RULES: Readonly<Record<string, Rule>> = {
  "pix BRL": PIX_BRL,
  "ted BRL": PIX_BRL,
  "card BRL": CARD,
  "pix USD": PIX_USD,
  "ted USD": PIX_USD,
  "card USD": CARD,
};

/** Makes the tenants of a plan, new ones for each, so that no run knows of another. */
export async function setUp(service: TestService, plan: ClientPlan): Promise<World> {
  const { clock } = service;
  // Time only goes on, and a plan begins at an hour of a day of its own.
  const today = Math.floor(clock.nowMs() / 1000 / DAY_SECONDS) * DAY_SECONDS;
  clock.set(new Date((today + 2 * DAY_SECONDS + plan.hour * HOUR_SECONDS) * 1000));
  const now = clock.nowMs() / 1000;
  const [first, second] = plan.terms;
  const [test, live] = await makeTenant(service, first, true);
  const [other] = await makeTenant(service, second, false);
  if (!test || !live || !other) throw new Error("no tenants");
  const spot = { spotMicros: plan.spotMicros, maxAgeSeconds: DAY_SECONDS };
  const empty = new Map<string, never>();
  return {
    terms: { test, live, other },
    now,
    spots: { live: LIVE_SPOT, test: await publish(service, spot) },
    intents: empty,
    quotes: empty,
    links: empty,
    payments: empty,
    kept: empty,
    seen: new Set(),
    ruleIds: empty,
  };
}

/** Puts a spot rate of test mode in force. */
export async function publish(
  { core, clock, internal }: TestService,
  { spotMicros, maxAgeSeconds }: { readonly spotMicros: number; readonly maxAgeSeconds: number },
): Promise<Spot> {
  const pricing = createClient(PricingService, core.transport);
  await pricing.publishFxRate(
    { mode: Mode.TEST, spotMicros: BigInt(spotMicros), maxAgeSeconds: BigInt(maxAgeSeconds) },
    internal,
  );
  return { micros: BigInt(spotMicros), publishedAt: clock.nowMs() / 1000, maxAgeSeconds };
}

async function makeTenant(service: TestService, draw: TermsDraw, isLiveToo: boolean): Promise<Terms[]> {
  const { core, internal, createKey } = service;
  const { payout, methods, installmentsMax, settlementDays, collectFields } = draw;
  const { id: tenantId, legalEntityId } = await createClient(IdentityService, core.transport).createTenant(
    {
      name: "Fuzz",
      payoutCurrency: payout,
      paymentMethods: [...methods],
      maxInstallments: installmentsMax,
      settlementDays,
      collectFields: [...collectFields],
    },
    internal,
  );
  const common = { tenantId, legalEntityId, payout, methods, installmentsMax, settlementDays, collectFields };
  const keyOf = async (mode: "test" | "live") => (await createKey(tenantId, mode)).key;
  const rules = { ...RULES, ...(draw.rule ? await putRule(service, tenantId, draw.rule) : {}) };
  const coveragePpm = BigInt(draw.coveragePpm);
  const iof = { ppm: BigInt(draw.iofPpm), isEnabled: draw.isIofEnabled };
  await createClient(PricingService, core.transport).putFxPolicy(
    { tenantId, mode: Mode.TEST, coveragePpm, iofPpm: iof.ppm, iofEnabled: iof.isEnabled },
    internal,
  );
  const test: Terms = { ...common, mode: "test", apiKey: await keyOf("test"), rules, coveragePpm, iof };
  if (!isLiveToo) return [test];
  return [test, { ...common, ...LIVE_POLICY, mode: "live", apiKey: await keyOf("live"), rules: RULES }];
}

async function putRule(
  { core, internal }: TestService,
  tenantId: string,
  { method, percentPpm, fixed, min, above, surchargePpm, defaultFeeHandling }: RuleDraw,
): Promise<Record<string, Rule>> {
  const pricing = createClient(PricingService, core.transport);
  const count = method === "card" ? INSTALLMENTS : 1;
  const rule: Rule = {
    percentPpm: BigInt(percentPpm),
    fixed: BigInt(fixed),
    min: BigInt(min),
    max: above === null ? null : BigInt(min + above),
    surchargePpm: Array.from({ length: count }, (_, index) => BigInt(index * surchargePpm)),
    defaultFeeHandling,
  };
  for (const currency of ["BRL", "USD"]) {
    const { percentPpm: percent, max, ...rest } = rule;
    await pricing.putPricingRule(
      {
        ...rest,
        surchargePpm: [...rest.surchargePpm],
        percentPpm: percent,
        ...(max === null ? {} : { max }),
        defaultFeeHandling: HANDLING[defaultFeeHandling],
        tenantId,
        mode: Mode.TEST,
        paymentMethod: METHOD[method],
        currency,
      },
      internal,
    );
  }
  return { [`${method} BRL`]: rule, [`${method} USD`]: rule };
}
