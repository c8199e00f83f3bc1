import type { ServiceImpl } from "@connectrpc/connect";
import type { Mode as ModeEnum } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { fromModeEnum } from "../identity/mapping.ts";
import type { CallAudit } from "../platform/audit-entry.ts";
import { auditOf } from "../platform/audit-trail.ts";
import { notify } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import { newFxPolicy, newFxSpot, newPricingRule, type NewVersion } from "./administration.ts";
import type { BookOf, PricingDeps } from "./deps.ts";
import { toFxRate, toPricingRule } from "./price-book-mapping.ts";
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

  async function ownRecords({ mode, tenantId }: { mode: ModeEnum; tenantId: string }): Promise<OwnRecords> {
    return await findOwnRecords(environments[fromModeEnum(mode)], tenantId);
  }

  /** Writes a new version, and announces it. Returns its id. */
  async function append(
    modeEnum: ModeEnum,
    { id, change }: NewVersion,
    audit: CallAudit | undefined,
  ): Promise<string> {
    const mode = fromModeEnum(modeEnum);
    const changes = [change, notify(`pricing:${mode}`)];
    await environments[mode].committer.commit(changes, audit?.entry({ objectId: id }));
    cache.drop(`pricing:${mode}`);
    return id;
  }

  return {
    putPricingRule: async (request, context) => {
      await requireTenant(request.tenantId);
      const rule = newPricingRule(request, await ownRecords(request), wholeSecond(clock));
      return { ruleId: await append(request.mode, rule, auditOf(context)) };
    },
    publishFxRate: async (request, context) => {
      const newest = await findNewestSpot(environments[fromModeEnum(request.mode)]);
      const spot = newFxSpot(request, newest, wholeSecond(clock));
      return { id: await append(request.mode, spot, auditOf(context)) };
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
      await requireTenant(request.tenantId);
      const policy = newFxPolicy(request, await ownRecords(request), wholeSecond(clock));
      return { id: await append(request.mode, policy, auditOf(context)) };
    },
  };
}
