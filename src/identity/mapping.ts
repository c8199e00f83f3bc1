import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ApiKeySchema,
  Mode as ModeEnum,
  TenantSchema,
  type ApiKey,
  type Tenant,
} from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { Mode } from "../platform/caller.ts";
import { keyPrefix } from "./api-key.ts";
import type { ApiKeyRow, TenantRow } from "./entities.ts";

const modes: Record<Mode, ModeEnum> = { live: ModeEnum.LIVE, test: ModeEnum.TEST };

export function toModeEnum(mode: Mode): ModeEnum {
  return modes[mode];
}

export function fromModeEnum(mode: ModeEnum): Mode {
  return mode === ModeEnum.LIVE ? "live" : "test";
}

export function toTenant(row: TenantRow): Tenant {
  return create(TenantSchema, { ...row, createdAt: timestampFromDate(row.createdAt) });
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  return create(ApiKeySchema, {
    id: row.id,
    name: row.name,
    mode: toModeEnum(row.mode),
    scopes: row.scopes,
    prefix: keyPrefix(row.mode),
    lastFour: row.lastFour,
    createdAt: timestampFromDate(row.createdAt),
    ...(row.revokedAt ? { revokedAt: timestampFromDate(row.revokedAt) } : {}),
  });
}
