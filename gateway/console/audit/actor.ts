import { ActorKind, type AuditEntry } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { Language } from "../../pages/language.ts";
import { messagesIn } from "./messages.ts";

/** Kinds of actors, by their names in filters and files. */
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

/** Returns the words for an actor who is no member, such as "command_line", or the actor's own name if it has none. */
export function actorText(language: Language, actor: string): string {
  const kind = KINDS.find((known) => known === actor);
  return kind === undefined ? actor : messagesIn(language)(`kind_${kind}`);
}
