import { ActorKind, type AuditEntry } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";

/** Kinds of actors, as filters and files name them. */
export const KINDS = ["user", "core_token", "command_line", "core"] as const;
export type Kind = (typeof KINDS)[number];

const KIND_NAMES: Readonly<Record<ActorKind, Kind>> = {
  [ActorKind.UNSPECIFIED]: "core",
  [ActorKind.USER]: "user",
  [ActorKind.CORE_TOKEN]: "core_token",
  [ActorKind.COMMAND_LINE]: "command_line",
  [ActorKind.CORE]: "core",
};

export function kindOf({ actorKind }: AuditEntry): Kind {
  return KIND_NAMES[actorKind] ?? "core";
}
