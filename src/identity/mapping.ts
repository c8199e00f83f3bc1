import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "../../contract/defined.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  ApiKeySchema,
  CoreTokenSchema,
  KeySchema,
  LegalEntitySchema,
  Mode as ModeEnum,
  ProfileSchema,
  TenantSchema,
  type ApiKey,
  type CoreToken,
  type Key,
  type KeyRateLimit,
  type LegalEntity,
  type Profile,
  type Tenant,
} from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { keyPrefix } from "./api-key.ts";
import { toPayerFieldsMessage } from "./payer-fields.ts";
import type { Profile as ProfileFields } from "./profile.ts";
import type { ApiKeyRow, CoreTokenRow, LegalEntityRow, TenantRow } from "./entities.ts";

const modes = wordsOf(ModeEnum);

export function toModeEnum(mode: Mode): ModeEnum {
  return modes.numbers[mode];
}

export function fromModeEnum(mode: ModeEnum): Mode {
  return modes.wordOf(mode) ?? "test";
}

/** `payoutCurrencies`: those of its active legal entities. */
export function toTenant(row: TenantRow, payoutCurrencies: readonly string[]): Tenant {
  const { id, name, paymentMethods, maxInstallments, collectFields, payerFields, createdAt } = row;
  const {
    settlementDays,
    leastSettlementDays,
    payerRetentionDays,
    exceptionRefundHours,
    refundFee,
    profile,
  } = row;
  return create(TenantSchema, {
    id,
    name,
    paymentMethods,
    maxInstallments,
    collectFields,
    payerFields: toPayerFieldsMessage(payerFields),
    settlementDays,
    leastSettlementDays,
    payerRetentionDays,
    exceptionRefundHours,
    refundFee,
    payoutCurrencies: [...payoutCurrencies],
    profile: toProfile(profile),
    createdAt: timestampFromDate(createdAt),
  });
}

export function toProfile(profile: ProfileFields): Profile {
  const { display_name: displayName, logo_url: logoUrl, color, tax_id: taxId, contact, site } = profile;
  return create(ProfileSchema, defined({ displayName, logoUrl, color, taxId, contact, site }));
}

export function toLegalEntity({
  id,
  name,
  payoutCurrency,
  isActive,
  createdAt,
}: LegalEntityRow): LegalEntity {
  return create(LegalEntitySchema, {
    id,
    name,
    payoutCurrency,
    isActive,
    createdAt: timestampFromDate(createdAt),
  });
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  return create(ApiKeySchema, {
    id: row.id,
    name: row.name,
    mode: toModeEnum(row.mode),
    scopes: row.scopes,
    prefix: keyPrefix(row.mode),
    lastFour: row.lastFour,
    ...lifeOf(row),
    lastUsedAt: stampOf(row.lastUsedAt),
    expiresAt: stampOf(row.expiresAt),
    addresses: row.addresses,
    replacedBy: row.replacedBy || undefined,
  });
}

export function toCoreToken(row: CoreTokenRow): CoreToken {
  const { id, name, permissions, lastFour, tenantId, mode, isGateway } = row;
  return create(CoreTokenSchema, {
    id,
    name,
    permissions,
    lastFour,
    ...lifeOf(row),
    tenantId: tenantId || undefined,
    mode: mode ? toModeEnum(mode) : undefined,
    isGateway,
  });
}

function lifeOf({ createdAt, revokedAt }: Pick<ApiKeyRow, "createdAt" | "revokedAt">) {
  return {
    createdAt: timestampFromDate(createdAt),
    revokedAt: stampOf(revokedAt),
  };
}

export type RateLimit = Pick<KeyRateLimit, "limit" | "remaining" | "resetSeconds">;

/** Returns a key as a request with it sees it. */
export function toKey(row: ApiKeyRow, tenantName: string, rateLimit: RateLimit | undefined): Key {
  const { id, name, tenantId, mode, scopes, createdAt, expiresAt } = row;
  return create(KeySchema, {
    id,
    name,
    tenantId,
    tenantName,
    mode: toModeEnum(mode),
    scopes,
    createdAt: timestampFromDate(createdAt),
    expiresAt: stampOf(expiresAt),
    ...(rateLimit ? { rateLimit } : {}),
  });
}
