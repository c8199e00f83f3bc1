import { defineEntity, p } from "@mikro-orm/core";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Mode } from "./caller.ts";

/** The kinds of actors that make changes. */
const ACTOR_KINDS = ["user", "core_token", "command_line", "core"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export function isActorKind(word: string): word is ActorKind {
  return ACTOR_KINDS.some((kind) => kind === word);
}

/** One change by a user or an operator. Append-only. */
export const AuditEntry = defineEntity({
  name: "AuditEntry",
  tableName: "audit_entry",
  schema: "identity",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    createdAt: p.datetime(),
    actorKind: p.string().columnType("text").$type<ActorKind>(),
    actorId: p.string().columnType("text"),
    actorName: p.string().columnType("text"),
    action: p.string().columnType("text"),
    mode: p.string().columnType("text").$type<Mode>().nullable(),
    objectId: p.string().columnType("text"),
    details: p.json<JsonObject>().columnType("jsonb"),
    address: p.string().columnType("text"),
    requestId: p.string().columnType("text"),
  },
});
