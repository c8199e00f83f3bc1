import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const pricing = createClient(PricingService, service.core.transport);

const BEHIND_SECONDS = [3, 300] as const;

describe.each(BEHIND_SECONDS)("where the clock is %d s behind that of the change before,", (behind) => {
  let tenantId: string;
  beforeEach(async () => {
    tenantId = (await createMerchant(service)).tenant.id;
    service.clock.stop();
  });

  const inForce = async () => await pricing.getFxRate({ tenantId, mode: Mode.TEST }, service.internal);
  /** Runs a check now, and again when the clock has passed the time of the change before. */
  async function nowAndLater(check: () => Promise<void>): Promise<void> {
    await check();
    service.clock.advance(behind + 60);
    await check();
  }

  test("a rule that is put is in force, and stays so", async () => {
    const put = async (percentPpm: bigint) => {
      const rule = { paymentMethod: PaymentMethod.PIX, currency: "BRL", percentPpm };
      await pricing.putPricingRule({ tenantId, mode: Mode.TEST, ...rule }, service.internal);
    };
    const percentPpm = async () => {
      const { rules } = await pricing.listPricingRules({ tenantId, mode: Mode.TEST }, service.internal);
      return rules.find((rule) => rule.paymentMethod === PaymentMethod.PIX && rule.currency === "BRL")
        ?.percentPpm;
    };
    await put(100_000n);
    service.clock.advance(-behind);
    expect(await percentPpm()).toBe(100_000n);
    await put(50_000n);
    await put(9_900n);
    await nowAndLater(async () => expect(await percentPpm()).toBe(9_900n));
  });

  test("a policy that is put is in force, and stays so until the next one's own time", async () => {
    const put = async (coveragePpm: bigint, validFromMs?: number) => {
      const time = validFromMs === undefined ? {} : { validFrom: at(validFromMs) };
      const policy = { coveragePpm, iofPpm: 0n, iofEnabled: false, ...time };
      await pricing.putFxPolicy({ tenantId, mode: Mode.TEST, ...policy }, service.internal);
    };
    const coverage = async () => (await inForce()).policy?.coveragePpm;
    await put(30_000n, service.clock.nowMs() + 3_600_000);
    await put(50_000n);
    service.clock.advance(-behind);
    expect(await coverage()).toBe(50_000n);
    await put(40_000n);
    await put(15_000n);
    await nowAndLater(async () => expect(await coverage()).toBe(15_000n));
    service.clock.advance(3_600);
    expect(await coverage()).toBe(30_000n);
  });

  test("a rate that is published is in force, and stays so", async () => {
    const publish = async (spotMicros: bigint) =>
      await pricing.publishFxRate({ mode: Mode.TEST, spotMicros }, service.internal);
    await publish(6_000_000n);
    service.clock.advance(-behind);
    await publish(5_500_000n);
    await publish(5_000_000n);
    await nowAndLater(async () => {
      const { spot } = await inForce();
      expect(spot?.spotMicros).toBe(5_000_000n);
    });
  });
});

function at(ms: number): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: 0 };
}
