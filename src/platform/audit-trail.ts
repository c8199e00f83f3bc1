import { AsyncLocalStorage } from "node:async_hooks";
import { getOption, type JsonObject } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Interceptor, UnaryRequest } from "@connectrpc/connect";
import { method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { actorOf, type Actor } from "./actor.ts";
import { AuditEntry } from "./audit-entry.ts";
import { HEADERS, type Mode } from "./caller.ts";
import { insert, type Change } from "./change.ts";
import { wholeSecond, type Clock } from "./clock.ts";
import { isId, newId } from "./ids.ts";
import { ofMethod } from "./of-method.ts";
import { redactedJson } from "./redact.ts";

/** What is known of a change beyond what is written: whoever knows better than the request says so. */
export interface AuditDraft extends Actor {
  /** Undefined: the tenant of the first row that is written. */
  tenantId: string | undefined;
  action: string;
  mode: Mode | null;
  /** Undefined: the first row that is written. */
  objectId: string | undefined;
  createdAt: Date;
  requestId: string;
  details: () => JsonObject;
  /** What the details tell beside the request, or in place of what is hidden of it. */
  told: JsonObject;
}

// The owner of what belongs to no tenant.
const EVERY_TENANT = "default";

const current = new AsyncLocalStorage<{ draft: AuditDraft | undefined }>();

/**
 * Has every change of the call written to the trail, in the change's own statement: where a person or an operator asks,
 * or the RPC is administrative. What merchants ask for by key goes by untouched.
 */
export function auditChanges(clock: Clock): Interceptor {
  return (next) => async (request) => {
    if (request.stream || !isAudited(request)) return await next(request);
    const held: { draft: AuditDraft | undefined } = { draft: draftOf(request, clock) };
    try {
      return await current.run(held, () => next(request));
    } finally {
      // What the call leaves behind to run by itself is nobody's change.
      held.draft = undefined;
    }
  };
}

/** Completes what the trail will say of the call under way, if it is one of those that are audited. */
export function describeChange(known: Partial<AuditDraft>): void {
  const draft = current.getStore()?.draft;
  if (draft) Object.assign(draft, known);
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
  return draft && auditRow({ ...draft, ...known }, []);
}

function isAudited({ method, header }: UnaryRequest): boolean {
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return false;
  return header.has(HEADERS.actor) || isAdministrative(method);
}

const isAdministrative = ofMethod((method) => getOption(method, methodRules).isAdministrative);

function draftOf(request: UnaryRequest, clock: Clock): AuditDraft {
  const { method, header, message } = request;
  const given = message as Readonly<Record<string, unknown>>;
  const requestId = header.get(HEADERS.requestId) ?? "";
  return {
    ...actorOf(request),
    tenantId: textOf(given["tenantId"]) ?? textOf(header.get(HEADERS.tenant)),
    action: method.name,
    mode: modeOf(request),
    objectId: textOf(given["id"]) ?? textOf(given["userId"]),
    createdAt: wholeSecond(clock),
    requestId: isId("req", requestId) ? requestId : newId("req"),
    details: () => redactedJson(method.input, message),
    told: {},
  };
}

/** An administrative RPC is of a mode only if its own fields say so. */
function modeOf({ method, header, message }: UnaryRequest): Mode | null {
  if (!getOption(method, methodRules).isAdministrative) {
    const mode = header.get(HEADERS.mode);
    return mode === "live" || mode === "test" ? mode : null;
  }
  const field = method.input.fields.find(({ name }) => name === "mode");
  const number = field && (message as Readonly<Record<string, unknown>>)[field.localName];
  const name = field?.enum?.values.find((value) => value.number === number)?.name;
  if (name === "MODE_LIVE") return "live";
  return name === "MODE_TEST" ? "test" : null;
}

function auditRow(draft: AuditDraft, changes: readonly Change[]) {
  const { tenantId, objectId, details, told, ...known } = draft;
  return {
    ...known,
    id: newId("aud"),
    tenantId: tenantId ?? firstOf(changes, "tenantId") ?? EVERY_TENANT,
    objectId: objectId ?? firstOf(changes, "id") ?? "",
    details: { ...details(), ...told },
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
