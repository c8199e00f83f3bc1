import { wordsOf, type WordOf } from "../../../contract/enum-words.ts";
import { ActorKind, type AuditEntry } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { Language } from "../../pages/language.ts";
import { messagesIn } from "./messages.ts";

/** Kinds of actors, by their names in filters and files. */
export const KINDS = wordsOf(ActorKind);
type Kind = WordOf<typeof ActorKind>;

export function kindOf({ actorKind }: AuditEntry): Kind {
  return KINDS.wordOf(actorKind) ?? "core";
}

/** Returns the words for an actor who is no member, such as "command_line", or the actor's own name if it has none. */
export function actorText(language: Language, actor: string): string {
  const kind = KINDS.all.find((known) => known === actor);
  return kind === undefined ? actor : messagesIn(language)(`kind_${kind}`);
}
