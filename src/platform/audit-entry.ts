import { defineEntity, p } from "@mikro-orm/core";
import type { JsonObject } from "@bufbuild/protobuf";
import { ActorKind as ActorKindEnum } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { wordsOf, type WordOf } from "../../contract/enum-words.ts";
import type { Mode } from "./caller.ts";

const kinds = wordsOf(ActorKindEnum);

/** The kinds of actors that make changes. */
export type ActorKind = WordOf<typeof ActorKindEnum>;

export function isActorKind(word: string): word is ActorKind {
  return kinds.numberOf(word) !== undefined;
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
