import { ActorKind, type AuditEntry } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { Language } from "../../pages/language.ts";
import { messagesIn } from "./messages.ts";

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

/** Who it was when it was nobody of the company: "command_line" in words, and whatever else calls itself something. */
export function actorText(language: Language, actor: string): string {
  const kind = KINDS.find((known) => known === actor);
  return kind === undefined ? actor : messagesIn(language)(`kind_${kind}`);
}
