import type {
  PublishFxRateRequest,
  PutFxPolicyRequest,
  PutPricingRuleRequest,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { insert, type Change } from "../platform/change.ts";
import { invalidRequest } from "../platform/errors.ts";
import { newId } from "../../contract/ids.ts";
import { dateOf } from "../platform/timestamps.ts";
import { FxPolicy, FxSpot, PricingRule } from "./entities.ts";
import { feeRuleProblem } from "./fee-rule.ts";
import { fromFeeHandlingEnum, fromMethodEnum } from "./mapping.ts";
import { DEFAULT_TENANT } from "./repository.ts";

const DEFAULT_MAX_AGE_SECONDS = 86_400n;

/** A new row's id, and the change that inserts it. */
export interface NewVersion {
  readonly id: string;
  readonly change: Change;
}

/** Error: invalid_request if the rule allows no pricing. */
export function newPricingRule(request: PutPricingRuleRequest, createdAt: Date): NewVersion {
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
  const change = insert(PricingRule, {
    ...rule,
    tenantId: request.tenantId,
    id,
    method,
    createdAt,
    currency: request.currency === "USD" ? "USD" : "BRL",
    surchargePpm: surchargePpm.map(Number),
    defaultFeeHandling:
      request.defaultFeeHandling === undefined ? "absorb" : fromFeeHandlingEnum(request.defaultFeeHandling),
  });
  return { id, change };
}

export function newFxPolicy(request: PutFxPolicyRequest, createdAt: Date): NewVersion {
  const id = newId("fxp");
  const { tenantId, coveragePpm, iofPpm, iofEnabled, iofNature, iofLegalBasis } = request;
  const validFrom = request.validFrom ? dateOf(request.validFrom) : createdAt;
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

export function newFxSpot(request: PublishFxRateRequest, publishedAt: Date): NewVersion {
  const id = newId("fxs");
  const change = insert(FxSpot, {
    tenantId: DEFAULT_TENANT,
    id,
    publishedAt,
    spotMicros: request.spotMicros,
    source: "manual",
    maxAgeSeconds: request.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS,
    bulletin: null,
    fetchedAt: null,
  });
  return { id, change };
}
