import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ActorKind as ActorKindEnum,
  AuditEntrySchema,
  type AuditEntry,
} from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { ActorKind } from "../platform/audit-entry.ts";
import type { AuditEntryRow } from "./repository.ts";
import { toModeEnum } from "../identity/mapping.ts";

const kinds: Record<ActorKind, ActorKindEnum> = {
  user: ActorKindEnum.USER,
  core_token: ActorKindEnum.CORE_TOKEN,
  command_line: ActorKindEnum.COMMAND_LINE,
  core: ActorKindEnum.CORE,
};

export function toAuditEntry({ mode, actorKind, createdAt, ...row }: AuditEntryRow): AuditEntry {
  const { id, actorId, actorName, action, objectId, details, address, requestId } = row;
  return create(AuditEntrySchema, {
    id,
    createdAt: timestampFromDate(createdAt),
    actorKind: kinds[actorKind],
    actorId,
    actorName,
    action,
    objectId,
    details,
    address,
    requestId,
    ...(mode ? { mode: toModeEnum(mode) } : {}),
  });
}
