import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { HeldFxRateSchema, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { fromModeEnum } from "../identity/mapping.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { insert, notify } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { invalidRequest, type PaylinkError } from "../platform/rpc/errors.ts";
import type { BookOf, PricingDeps } from "./deps.ts";
import { FxSpot, type FxHeldRateRow } from "./entities.ts";
import { findHeldRates } from "./rate-records.ts";

type RateRpcs = Pick<
  ServiceImpl<typeof PricingService>,
  "getRateStanding" | "listHeldFxRates" | "releaseFxRate"
>;

interface RateDeps extends Pick<PricingDeps, "environments" | "cache" | "operations" | "clock"> {
  readonly bookOf: BookOf;
}

/** The RPCs of how old the rate is, and of fetched rates that wait for a person. */
export function rateRpcs({ environments, cache, operations, clock, bookOf }: RateDeps): RateRpcs {
  return {
    getRateStanding: operations.run(async (_request, { tenantId, mode, environment }) => {
      const book = await bookOf(mode, tenantId);
      const now = wholeSecond(clock);
      const held = (await findHeldRates(environment)).map(toHeldRate);
      const { spot } = book;
      if (!spot) return { held };
      return {
        source: spot.source,
        publishedAt: timestampFromDate(spot.publishedAt),
        ageSeconds: BigInt(book.rateAgeSeconds(now)),
        maxAgeSeconds: spot.maxAgeSeconds,
        isTooOld: book.isRateTooOld(now),
        held,
      };
    }),
    listHeldFxRates: async ({ mode }) => ({
      rates: (await findHeldRates(environments[fromModeEnum(mode)])).map(toHeldRate),
    }),
    releaseFxRate: async ({ mode: modeEnum, id }, context) => {
      const mode = fromModeEnum(modeEnum);
      const environment = environments[mode];
      const held = (await findHeldRates(environment)).find((rate) => rate.id === id);
      if (!held) throw notHeld();
      const { lastSpotId: _last, lastMicros: _micros, ...spot } = held;
      const changes = [insert(FxSpot, spot), notify(`pricing:${mode}`)];
      const entry = auditOf(context)?.entry({ objectId: id });
      if ((await environment.committer.commit(changes, entry)) !== "committed") throw notHeld();
      cache.drop(`pricing:${mode}`);
      return { id };
    },
  };
}

const PPM = 1_000_000n;

function notHeld(): PaylinkError {
  return invalidRequest(
    "id",
    "No such rate is held: it was released before, or a newer rate has superseded it.",
  );
}

function toHeldRate(row: FxHeldRateRow): MessageInitShape<typeof HeldFxRateSchema> {
  return {
    id: row.id,
    spotMicros: row.spotMicros,
    source: row.source,
    bulletin: row.bulletin,
    publishedAt: timestampFromDate(row.publishedAt),
    fetchedAt: timestampFromDate(row.fetchedAt),
    lastMicros: row.lastMicros,
    jumpPpm: ((row.spotMicros - row.lastMicros) * PPM) / row.lastMicros,
  };
}
