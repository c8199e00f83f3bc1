import type { ServiceImpl } from "@connectrpc/connect";
import type { Mode as ModeEnum } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { fromModeEnum } from "../identity/mapping.ts";
import type { CallAudit } from "../platform/rpc/audit-entry.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { notify } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { newFxPolicy, newFxSpot, newPricingRule, type NewVersion } from "./administration.ts";
import type { BookOf, PricingDeps } from "./deps.ts";
import { toFxRate, toPricingRule } from "./price-book-mapping.ts";
import { topicOf } from "./price-books.ts";
import { countHeldRates, findFeedState } from "./rate-records.ts";
import { DEFAULT_TENANT, findNewestSpot, findOwnRecords, type OwnRecords } from "./repository.ts";

type Rpcs = Pick<
  ServiceImpl<typeof PricingService>,
  "putPricingRule" | "publishFxRate" | "listPricingRules" | "getFxRate" | "putFxPolicy"
>;

interface PriceBookDeps extends Pick<PricingDeps, "clock" | "cache" | "environments" | "identity"> {
  readonly bookOf: BookOf;
}

/** The RPCs that show the rules and rates in force, and write new versions of them. */
export function priceBookRpcs({ clock, cache, environments, identity, bookOf }: PriceBookDeps): Rpcs {
  async function requireTenant(tenantId: string): Promise<void> {
    if (tenantId !== DEFAULT_TENANT) await identity.settingsOf(tenantId);
  }

  /** Writes a new version among an owner's, and announces it. Returns its id. */
  async function putOwn(
    { mode: modeEnum, tenantId }: { readonly mode: ModeEnum; readonly tenantId: string },
    audit: CallAudit | undefined,
    versionOf: (own: OwnRecords, now: Date) => NewVersion,
  ): Promise<string> {
    await requireTenant(tenantId);
    const mode = fromModeEnum(modeEnum);
    const now = wholeSecond(clock);
    const own = await findOwnRecords(environments[mode], tenantId, now);
    // All others keep their prices, unless this tenant had those that all have together.
    const isKnown = tenantId !== DEFAULT_TENANT && own.rules.length + own.policies.length > 0;
    return await append(mode, versionOf(own, now), isKnown ? topicOf(mode, tenantId) : topicOf(mode), audit);
  }

  async function append(
    mode: Mode,
    { id, change }: NewVersion,
    topic: string,
    audit: CallAudit | undefined,
  ): Promise<string> {
    await environments[mode].committer.commit([change, notify(topic)], audit?.entry({ objectId: id }));
    cache.drop(topic);
    return id;
  }

  return {
    putPricingRule: async (request, context) => {
      const versionOf = (own: OwnRecords, now: Date): NewVersion => newPricingRule(request, own, now);
      return { ruleId: await putOwn(request, auditOf(context), versionOf) };
    },
    publishFxRate: async (request, context) => {
      const mode = fromModeEnum(request.mode);
      const newest = await findNewestSpot(environments[mode]);
      const spot = newFxSpot(request, newest, wholeSecond(clock));
      return { id: await append(mode, spot, topicOf(mode), auditOf(context)) };
    },
    listPricingRules: async ({ tenantId, mode }) => {
      await requireTenant(tenantId);
      const book = await bookOf(fromModeEnum(mode), tenantId);
      return { rules: book.rules().map(toPricingRule) };
    },
    getFxRate: async ({ mode: modeEnum, tenantId }) => {
      await requireTenant(tenantId);
      const mode = fromModeEnum(modeEnum);
      const { pool } = environments[mode];
      const fetched = { heldCount: await countHeldRates(pool), feed: await findFeedState(pool) };
      return toFxRate(await bookOf(mode, tenantId), fetched, wholeSecond(clock));
    },
    putFxPolicy: async (request, context) => {
      const versionOf = (own: OwnRecords, now: Date): NewVersion => newFxPolicy(request, own, now);
      return { id: await putOwn(request, auditOf(context), versionOf) };
    },
  };
}
