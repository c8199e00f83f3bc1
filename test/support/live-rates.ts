import { createClient, type Client } from "@connectrpc/connect";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import {
  PricingService,
  type GetFxRateResponse,
  type HeldFxRate,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { createMerchant, type Merchant } from "./merchant.ts";
import { startOlinda, type Olinda } from "./olinda.ts";
import { startService, type ServiceSettings, type TestService } from "./service.ts";

/** A service whose live rate is the fake's, with what a test asks of it. The tests' days are in 2031. */
export async function startScene(
  ends: (() => Promise<void>)[],
  settings: ServiceSettings = {},
): Promise<LiveRates> {
  const olinda = await startOlinda();
  ends.push(() => olinda.close());
  const ptax = { url: olinda.url, maxAgeSeconds: 30 * 3600 };
  const service = await startService("direct", { ptax, allowLoopbackProviders: true, ...settings });
  ends.push(() => service.close());
  const merchant = await createMerchant(service, { payoutCurrency: "BRL" }, "live");
  return new LiveRates(service, olinda, merchant, createClient(PricingService, service.core.transport));
}

/** The live mode's rate as a test moves it. */
export class LiveRates {
  readonly service: TestService;
  readonly olinda: Olinda;
  readonly merchant: Merchant;
  readonly pricing: Client<typeof PricingService>;

  constructor(
    service: TestService,
    olinda: Olinda,
    merchant: Merchant,
    pricing: Client<typeof PricingService>,
  ) {
    this.service = service;
    this.olinda = olinda;
    this.merchant = merchant;
    this.pricing = pricing;
    service.clock.stop();
  }

  /** Moves the clock to a time of São Paulo. */
  at(text: string): void {
    const time = Temporal.PlainDateTime.from(text).toZonedDateTime("America/Sao_Paulo");
    this.service.clock.set(new Date(time.epochMilliseconds));
  }

  /** Lets a worker ask at this time of São Paulo. */
  async askAt(text: string): Promise<void> {
    this.at(text);
    await this.service.core.tasks.fetchRate();
  }

  /** What a quote in dollars comes to at this time: the public rate, or the refusal's code. */
  async quoteAt(text: string): Promise<unknown> {
    this.at(text);
    const quote = { amount: 1000, currency: "USD", payment_method: "pix" };
    const { status, body } = await this.merchant.api.post("/v1/quotes", quote);
    return status === 201 ? body.fx.rate : body.error.code;
  }

  async rate(mode: Mode = Mode.LIVE): Promise<GetFxRateResponse> {
    return await this.pricing.getFxRate({ mode, tenantId: "default" }, this.service.internal);
  }

  async held(): Promise<HeldFxRate[]> {
    return (await this.pricing.listHeldFxRates({ mode: Mode.LIVE }, this.service.internal)).rates;
  }

  async release(id: string): Promise<unknown> {
    const request = { mode: Mode.LIVE, id };
    return await this.pricing.releaseFxRate(request, this.service.internal).catch((error) => String(error));
  }

  async publish(spotMicros: bigint): Promise<void> {
    await this.pricing.publishFxRate({ mode: Mode.LIVE, spotMicros }, this.service.internal);
  }

  /** The failures logged since. */
  codes(): unknown[] {
    return this.service.faults.splice(0).map((fault) => (fault as { code?: unknown }).code);
  }
}
