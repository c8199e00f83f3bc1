import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  ActorKind as ActorKindEnum,
  AuditEntrySchema,
  type AuditEntry,
} from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { AuditEntryRow } from "./repository.ts";
import { toModeEnum } from "../identity/mapping.ts";

const { numbers: kinds } = wordsOf(ActorKindEnum);

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
    mode: mode ? toModeEnum(mode) : undefined,
  });
}
