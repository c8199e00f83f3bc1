import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { GetFxRateResponseSchema, PricingRuleSchema } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { PricingRuleRow } from "./entities.ts";
import { toFeeHandlingEnum, toMethodEnum } from "./mapping.ts";
import type { PriceBook } from "./price-book.ts";
import type { FeedState } from "./rate-records.ts";

export function toPricingRule(row: PricingRuleRow): MessageInitShape<typeof PricingRuleSchema> {
  return {
    id: row.id,
    tenantId: row.tenantId,
    paymentMethod: toMethodEnum(row.method),
    currency: row.currency,
    percentPpm: row.percentPpm,
    fixed: row.fixedMinor,
    min: row.minMinor,
    max: row.maxMinor ?? undefined,
    surchargePpm: row.surchargePpm.map(BigInt),
    defaultFeeHandling: toFeeHandlingEnum(row.defaultFeeHandling),
    createdAt: timestampFromDate(row.createdAt),
  };
}

/** Returns the parts of the public rate at `now`, and the state of its source. */
export function toFxRate(
  book: PriceBook,
  { heldCount, feed }: { readonly heldCount: number; readonly feed: FeedState | undefined },
  now: Date,
): MessageInitShape<typeof GetFxRateResponseSchema> {
  const { spot } = book;
  const policy = book.policyAt(now);
  const rate = book.rateAt(now);
  return {
    spot: spot
      ? {
          id: spot.id,
          spotMicros: spot.spotMicros,
          source: spot.source,
          publishedAt: timestampFromDate(spot.publishedAt),
          maxAgeSeconds: spot.maxAgeSeconds,
          bulletin: spot.bulletin ?? undefined,
          fetchedAt: spot.fetchedAt ? timestampFromDate(spot.fetchedAt) : undefined,
          ageSeconds: BigInt(book.rateAgeSeconds(now)),
        }
      : undefined,
    policy: policy && {
      id: policy.id,
      tenantId: policy.tenantId,
      coveragePpm: policy.coveragePpm,
      iofPpm: policy.iofPpm,
      iofEnabled: policy.iofEnabled,
      iofNature: policy.iofNature,
      iofLegalBasis: policy.iofLegalBasis,
      validFrom: timestampFromDate(policy.validFrom),
    },
    publicRateMicros: rate?.rateMicros,
    heldCount,
    feed: feed && { ...feed, answeredAt: feed.answeredAt && timestampFromDate(feed.answeredAt) },
  };
}
