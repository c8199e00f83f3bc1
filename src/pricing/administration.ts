import type {
  PublishFxRateRequest,
  PutFxPolicyRequest,
  PutPricingRuleRequest,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { insert, type Change } from "../platform/write/change.ts";
import { invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import { dateOf } from "../platform/time/timestamps.ts";
import { FxPolicy, FxSpot, PricingRule, type FxSpotRow } from "./entities.ts";
import { feeRuleProblem } from "./fee-rule.ts";
import { fromFeeHandlingEnum, fromMethodEnum } from "./mapping.ts";
import { hasBegun } from "./price-book.ts";
import { DEFAULT_TENANT, type OwnRecords } from "./repository.ts";

const DEFAULT_MAX_AGE_SECONDS = 86_400n;

/** Maximum number of an owner's policies that are in force or to come by times of their own: each price reads all of them. */
const DATED_MAX = 100;

/** A new row's id, and the change that inserts it. */
export interface NewVersion {
  readonly id: string;
  readonly change: Change;
}

/** A version's time and id. Those of one time follow each other by id. */
type Place = readonly [time: Date, id: string];

/**
 * Returns the time of a version that takes effect at once: it follows all before it, though the clock of the process that
 * made those may have been ahead.
 */
function afterAll(earlier: readonly Place[], now: Date, id: string): Date {
  const isLast = earlier.every(
    ([time, other]) => time < now || (time.getTime() === now.getTime() && other < id),
  );
  return isLast ? now : new Date(Math.max(...earlier.map(([time]) => time.getTime())) + 1);
}

/** Error: invalid_request if the rule allows no pricing. */
export function newPricingRule(
  request: PutPricingRuleRequest,
  { rules }: Pick<OwnRecords, "rules">,
  now: Date,
): NewVersion {
  const method = fromMethodEnum(request.paymentMethod);
  const surchargePpm = request.surchargePpm.length > 0 ? request.surchargePpm : [0n];
  const rule = {
    percentPpm: request.percentPpm,
    fixedMinor: request.fixed,
    minMinor: request.min,
    maxMinor: request.max ?? null,
    surchargePpm,
  };
  const problem = feeRuleProblem(method, rule);
  if (problem) throw invalidRequest(problem.param, `${problem.param} ${problem.message}.`);
  const id = newId("rul");
  const earlier = rules.map((one): Place => [one.createdAt, one.id]);
  const change = insert(PricingRule, {
    ...rule,
    tenantId: request.tenantId,
    id,
    method,
    createdAt: afterAll(earlier, now, id),
    currency: request.currency === "USD" ? "USD" : "BRL",
    surchargePpm: surchargePpm.map(Number),
    defaultFeeHandling:
      request.defaultFeeHandling === undefined ? "absorb" : fromFeeHandlingEnum(request.defaultFeeHandling),
  });
  return { id, change };
}

/** Error: quota_exceeded if too many policies with times of their own are to come. */
export function newFxPolicy(
  request: PutFxPolicyRequest,
  { policies }: Pick<OwnRecords, "policies">,
  now: Date,
): NewVersion {
  const id = newId("fxp");
  const { tenantId, coveragePpm, iofPpm, iofEnabled, iofNature, iofLegalBasis } = request;
  if (request.validFrom && policies.length > DATED_MAX) {
    const message = `At most ${DATED_MAX} policies are to come: wait until one is in force, or put one without valid_from.`;
    throw new PaylinkError("quota_exceeded", message);
  }
  const begun = policies.filter((policy) => hasBegun(policy, now));
  const earlier = begun.map((one): Place => [one.validFrom, one.id]);
  const validFrom = request.validFrom ? dateOf(request.validFrom) : afterAll(earlier, now, id);
  const createdAt = request.validFrom ? now : validFrom;
  const row = {
    tenantId,
    id,
    coveragePpm,
    iofPpm,
    iofEnabled,
    iofNature,
    iofLegalBasis,
    validFrom,
    createdAt,
  };
  return { id, change: insert(FxPolicy, row) };
}

export function newFxSpot(
  request: PublishFxRateRequest,
  newest: Pick<FxSpotRow, "publishedAt" | "id"> | null,
  now: Date,
): NewVersion {
  const id = newId("fxs");
  const change = insert(FxSpot, {
    tenantId: DEFAULT_TENANT,
    id,
    publishedAt: afterAll(newest ? [[newest.publishedAt, newest.id]] : [], now, id),
    spotMicros: request.spotMicros,
    source: "manual",
    maxAgeSeconds: request.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS,
    bulletin: null,
    fetchedAt: null,
  });
  return { id, change };
}
