import { AsyncLocalStorage } from "node:async_hooks";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Interceptor, UnaryRequest } from "@connectrpc/connect";
import { HEADERS } from "../../contract/headers.ts";
import { actorOf, type Actor } from "./actor.ts";
import { AuditEntry } from "./audit-entry.ts";
import { isAudited, isRead } from "./audited.ts";
import { foundCaller, modeOfField, type Mode } from "./caller.ts";
import { insert, type Change } from "./change.ts";
import { wholeSecond, type Clock } from "./clock.ts";
import type { Committer } from "./commit.ts";
import { isId, newId } from "../../contract/ids.ts";
import { isAdministrative } from "./of-method.ts";
import { redactedJson } from "./redact.ts";

/** The draft of an audit entry. Code that knows more than the request has changes it with `describeChange`. */
export interface AuditDraft extends Actor {
  /** Undefined: the caller's tenant; for an administrative call, that of the first written row. */
  tenantId: string | undefined;
  action: string;
  /** Undefined: the caller's mode. */
  mode: Mode | null | undefined;
  /** The caller of a call that is not administrative, as far as it is known. */
  caller: () => { readonly tenantId?: string | undefined; readonly mode?: Mode | undefined };
  /** Undefined: the id of the first written row. */
  objectId: string | undefined;
  createdAt: Date;
  requestId: string;
  details: () => JsonObject;
  /** Details in addition to the request's, or in place of its redacted ones. */
  told: JsonObject;
}

/** The owner of rows without a tenant. */
export const EVERY_TENANT = "default";

const current = new AsyncLocalStorage<{ draft: AuditDraft | undefined }>();

/**
 * Writes an audit entry for every change of the call, in the statement of the change. An audited read gets its entry
 * before its response. See `isAudited`. Merchants' calls with a key have no entries.
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
      // Background work that the call starts is not part of its change.
      held.draft = undefined;
    }
  };
}

/** Adds to the audit entry of the current call, if it is audited. */
export function describeChange(known: Partial<AuditDraft>): void {
  const draft = current.getStore()?.draft;
  if (draft) Object.assign(draft, behindToken(draft, known));
}

/** Drops the audit entry of the current call, because it has shown nothing. */
export function nothingShown(): void {
  const held = current.getStore();
  if (held) held.draft = undefined;
}

/** Runs work without an audit entry of its own, such as a part of a change that another commit records. */
export async function untold<Result>(run: () => Promise<Result>): Promise<Result> {
  return await current.run({ draft: undefined }, run);
}

/** Returns the changes, with an audit entry if the current call is audited. */
export function withAuditEntry(changes: readonly Change[]): readonly Change[] {
  const draft = current.getStore()?.draft;
  if (!draft || changes.length === 0 || changes.some(isEntry)) return changes;
  return [...changes, insert(AuditEntry, auditRow(draft, changes))];
}

/** Returns the entry of a call that writes nothing else, or undefined if the call is not audited. */
export function auditRowOf(known: Partial<AuditDraft>): ReturnType<typeof auditRow> | undefined {
  const draft = current.getStore()?.draft;
  return draft && auditRow({ ...draft, ...behindToken(draft, known) }, []);
}

/** Keeps the named token as the actor. The user that the call is about becomes `onBehalfOf`. */
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

/** An administrative RPC has a mode only if its own fields name one. */
function modeIn({ method, message }: UnaryRequest): Mode | null {
  const field = method.input.fields.find(({ name }) => name === "mode");
  const number = field && (message as Readonly<Record<string, unknown>>)[field.localName];
  return (field && modeOfField(field, number)) ?? null;
}

/** Returns the owner of the request's id if the id decides, else the tenant and mode of the headers. */
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

/** Returns true if the change is an audit entry: code that writes entries itself records all its changes in them. */
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
