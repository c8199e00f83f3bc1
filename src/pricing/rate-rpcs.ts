import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { HeldFxRateSchema, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { fromModeEnum } from "../identity/mapping.ts";
import { auditOf } from "../platform/audit-trail.ts";
import type { AnnouncedCache } from "../platform/cache.ts";
import type { Mode } from "../platform/caller.ts";
import { insert, notify } from "../platform/change.ts";
import type { Environment } from "../platform/database.ts";
import { invalidRequest, type PaylinkError } from "../platform/errors.ts";
import { FxSpot, type FxHeldRateRow } from "./entities.ts";
import { findHeldRates } from "./rate-records.ts";

type RateRpcs = Pick<ServiceImpl<typeof PricingService>, "listHeldFxRates" | "releaseFxRate">;

/** The RPCs of fetched rates that wait for a person. */
export function rateRpcs({
  environments,
  cache,
}: {
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly cache: AnnouncedCache;
}): RateRpcs {
  return {
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
  };
}
