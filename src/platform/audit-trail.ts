import { AsyncLocalStorage } from "node:async_hooks";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Interceptor, UnaryRequest } from "@connectrpc/connect";
import { actorOf, type Actor } from "./actor.ts";
import { AuditEntry } from "./audit-entry.ts";
import { isAudited, isRead } from "./audited.ts";
import { foundCaller, HEADERS, modeOfField, type Mode } from "./caller.ts";
import { insert, type Change } from "./change.ts";
import { wholeSecond, type Clock } from "./clock.ts";
import type { Committer } from "./commit.ts";
import { isId, newId } from "./ids.ts";
import { isAdministrative } from "./of-method.ts";
import { redactedJson } from "./redact.ts";

/** What is known of a change beyond what is written: whoever knows better than the request says so. */
export interface AuditDraft extends Actor {
  /** Undefined: whom the call is for, of an administrative one the tenant of the first row that is written. */
  tenantId: string | undefined;
  action: string;
  /** Undefined: that which the call is for. */
  mode: Mode | null | undefined;
  /** Whom a call is for that is not administrative, as far as is known. */
  caller: () => { readonly tenantId?: string | undefined; readonly mode?: Mode | undefined };
  /** Undefined: the first row that is written. */
  objectId: string | undefined;
  createdAt: Date;
  requestId: string;
  details: () => JsonObject;
  /** What the details tell beside the request, or in place of what is hidden of it. */
  told: JsonObject;
}

/** The owner of what belongs to no tenant. */
export const EVERY_TENANT = "default";

const current = new AsyncLocalStorage<{ draft: AuditDraft | undefined }>();

/**
 * Has every change of the call written to the trail, in the change's own statement, and what it was shown before that is
 * answered; see `isAudited`. What merchants ask for by key goes by untouched.
 */
export function auditCalls(clock: Clock, committer: Pick<Committer, "commit">): Interceptor {
  return (next) => async (request) => {
    if (request.stream || !isAudited(request)) return await next(request);
    const held: { draft: AuditDraft | undefined } = { draft: draftOf(request, clock) };
    try {
      const response = await current.run(held, () => next(request));
      if (held.draft && isRead(request.method)) {
        await committer.commit([insert(AuditEntry, auditRow(held.draft, []))], null);
      }
      return response;
    } finally {
      // What the call leaves behind to run by itself is nobody's change.
      held.draft = undefined;
    }
  };
}

/** Completes what the trail will say of the call under way, if it is one of those that are audited. */
export function describeChange(known: Partial<AuditDraft>): void {
  const draft = current.getStore()?.draft;
  if (draft) Object.assign(draft, behindToken(draft, known));
}

/** Keeps the call under way out of the trail: it has turned out to show nothing. */
export function nothingShown(): void {
  const held = current.getStore();
  if (held) held.draft = undefined;
}

/** Does what is no change of its own to whoever asks, such as a part of one that another commit tells of. */
export async function untold<Result>(run: () => Promise<Result>): Promise<Result> {
  return await current.run({ draft: undefined }, run);
}

/** The changes, and the entry that tells of them if the call under way is audited. */
export function withAuditEntry(changes: readonly Change[]): readonly Change[] {
  const draft = current.getStore()?.draft;
  if (!draft || changes.length === 0 || changes.some(isEntry)) return changes;
  return [...changes, insert(AuditEntry, auditRow(draft, changes))];
}

/** The entry of a call that writes nothing else; undefined when the call is not audited. */
export function auditRowOf(known: Partial<AuditDraft>): ReturnType<typeof auditRow> | undefined {
  const draft = current.getStore()?.draft;
  return draft && auditRow({ ...draft, ...behindToken(draft, known) }, []);
}

/** Whoever presents a named token stays that: a person that the call turns out to be about is whom it acts for. */
function behindToken(
  { actorKind, address: from }: AuditDraft,
  known: Partial<AuditDraft>,
): Partial<AuditDraft> {
  if (actorKind !== "core_token" || known.actorKind === undefined) return known;
  const { actorKind: _kind, actorId = "", actorName = "", address = from, ...others } = known;
  return { ...others, onBehalfOf: { actor: actorId, name: actorName, address } };
}

function draftOf(request: UnaryRequest, clock: Clock): AuditDraft {
  const { method, header, message } = request;
  const given = message as Readonly<Record<string, unknown>>;
  const requestId = header.get(HEADERS.requestId) ?? "";
  return {
    ...actorOf(request),
    tenantId: textOf(given["tenantId"]),
    action: method.name,
    mode: isAdministrative(method) ? modeIn(request) : undefined,
    caller: () => (isAdministrative(method) ? {} : callerOf(request)),
    objectId: textOf(given["id"]) ?? textOf(given["userId"]),
    createdAt: wholeSecond(clock),
    requestId: isId("req", requestId) ? requestId : newId("req"),
    details: () => redactedJson(method.input, message),
    told: {},
  };
}

/** An administrative RPC is of a mode only if its own fields say so. */
function modeIn({ method, message }: UnaryRequest): Mode | null {
  const field = method.input.fields.find(({ name }) => name === "mode");
  const number = field && (message as Readonly<Record<string, unknown>>)[field.localName];
  return (field && modeOfField(field, number)) ?? null;
}

/** Whom the id in the request belongs to, where that decides and not the headers. */
function callerOf({ header, contextValues }: UnaryRequest): ReturnType<AuditDraft["caller"]> {
  const found = contextValues.get(foundCaller);
  if (found) return found;
  const mode = header.get(HEADERS.mode);
  return {
    tenantId: textOf(header.get(HEADERS.tenant)),
    mode: mode === "live" || mode === "test" ? mode : undefined,
  };
}

function auditRow(draft: AuditDraft, changes: readonly Change[]) {
  const { tenantId, mode, caller, objectId, details, told, onBehalfOf, ...known } = draft;
  const owner = caller();
  return {
    ...known,
    id: newId("aud"),
    tenantId: tenantId ?? owner.tenantId ?? firstOf(changes, "tenantId") ?? EVERY_TENANT,
    mode: mode === undefined ? (owner.mode ?? null) : mode,
    objectId: objectId ?? firstOf(changes, "id") ?? "",
    details: { ...details(), ...told, ...(onBehalfOf ? { on_behalf_of: onBehalfOf } : {}) },
  };
}

/** Whoever writes entries itself tells of all that it changes. */
function isEntry(change: Change): boolean {
  return (change.kind === "insert" || change.kind === "insertAll") && change.entity === AuditEntry;
}

function firstOf(changes: readonly Change[], property: string): string | undefined {
  for (const change of changes) {
    const row = change.kind === "insert" ? change.row : change.kind === "update" ? change.where : undefined;
    const value = textOf(row?.[property]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
