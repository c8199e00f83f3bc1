import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { JsonObject } from "@bufbuild/protobuf";
import { ActorKind as ActorKindEnum } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { wordsOf, type WordOf } from "../../../contract/enum-words.ts";
import type { Mode } from "./caller.ts";
import type { Row } from "../write/change.ts";

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

/** A row of the audit log. */
export type AuditRow = Row<InferEntity<typeof AuditEntry>>;

/** The content of an entry that its RPC gives: the rest of the entry is the call's. */
export interface AuditContent {
  /** Absent: the name of the RPC. */
  readonly action?: string;
  /** The id of the changed object; empty if it has none. */
  readonly objectId: string;
  /** Absent: the tenant of the request, else the caller's; the default tenant if there is none. */
  readonly tenantId?: string;
  /** Absent: the mode of an administrative request, else the caller's. */
  readonly mode?: Mode;
  /** Details in addition to the request's, or in place of its redacted ones. */
  readonly details?: JsonObject;
  /** True: `details` stand in place of the whole request. */
  readonly isApart?: boolean;
  /** The user whom the call proves, who is the actor. A named token stays the actor, on behalf of this user. */
  readonly user?: { readonly id: string; readonly email: string; readonly address?: string };
}

/** Makes the audit entries of one call. */
export interface CallAudit {
  /** Returns the entry of a change, to be written with it. */
  entry(content: AuditContent): AuditRow;
}
