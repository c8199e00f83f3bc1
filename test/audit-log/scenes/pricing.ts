import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { newId } from "../../../contract/ids.ts";
import { LINK, type Scenes } from "./scenery.ts";

export const pricingScenes: Scenes = {
  CreateQuote: async (as, { pricing }) => {
    const { result } = await pricing.createQuote({ ...LINK, paymentMethod: PaymentMethod.PIX }, as);
    return [result.case === "quote" ? result.value.id : undefined];
  },
  "CreateQuote of each way to pay": async (as, { pricing }) => {
    const { result } = await pricing.createQuote(LINK, as);
    return [result.case === "scenarios" ? result.value.pix?.quoteId : undefined];
  },
  PutPricingRule: async (as, { pricing, tenantId }) => {
    const rule = { tenantId, mode: Mode.TEST, paymentMethod: PaymentMethod.PIX, currency: "BRL" };
    return [(await pricing.putPricingRule({ ...rule, percentPpm: 9_900n }, as)).ruleId];
  },
  PublishFxRate: async (as, { pricing }) => [
    (await pricing.publishFxRate({ mode: Mode.TEST, spotMicros: 5_432_100n, maxAgeSeconds: 60n }, as)).id,
  ],
  ReleaseFxRate: async (as, { pricing, rows }) => {
    const id = newId("fxs");
    await rows.run(
      `INSERT INTO test.fx_held_rate SELECT 'default', $1, 6000000, 'ptax', '2026-03-02 13:10:20.1', 108000,
        '2026-03-02T16:10:20Z'::timestamptz + count(*) * interval '1 day', now(), 'fxs_last', 5000000
      FROM test.fx_held_rate`,
      [id],
    );
    return [(await pricing.releaseFxRate({ mode: Mode.TEST, id }, as)).id];
  },
  PutFxPolicy: async (as, { pricing, tenantId }) => [
    (await pricing.putFxPolicy({ tenantId, mode: Mode.TEST, coveragePpm: 1000n }, as)).id,
  ],
};
