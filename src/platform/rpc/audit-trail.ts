import {
  createContextKey,
  type HandlerContext,
  type Interceptor,
  type UnaryRequest,
} from "@connectrpc/connect";
import { HEADERS } from "../../../contract/headers.ts";
import { actorOf, type Actor } from "./actor.ts";
import type { AuditRow, AuditContent, CallAudit } from "./audit-entry.ts";
import { foundCaller, modeOfField, requestIdIn, type Caller, type Mode } from "./caller.ts";
import { wholeSecond, type Clock } from "../time/clock.ts";
import { newId, isId } from "../../../contract/ids.ts";
import { isAdministrative, ofMethod } from "../../../contract/of-method.ts";
import { redactedJson } from "../text/redact.ts";
import { getOption, hasOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { http } from "#schemas/google/api/annotations_pb.js";
import { AuditedRead, method as methodRules } from "../../../gen/paylink/options/v1/options_pb.ts";
import { namedToken } from "./core-access.ts";

/** The owner of rows without a tenant. */
export const EVERY_TENANT = "default";

/** The entry of work that no call asks for, or whose call records it as a whole. */
export const NO_ENTRY = undefined;

const callAudit = createContextKey<CallAudit | undefined>(undefined);

/**
 * Gives each call that has audit entries what makes them: its actor, time, request id and details. See `isAudited`.
 * Merchants' calls with a key have entries where their RPC says so.
 */
export function auditCalls(clock: Clock): Interceptor {
  return (next) => (request) => {
    if (!request.stream && isAudited(request)) {
      request.contextValues.set(callAudit, new RequestAudit(request, clock));
    }
    return next(request);
  };
}

/** Returns what makes the call's audit entries, or undefined if it has none. */
export function auditOf({ values }: Pick<HandlerContext, "values">): CallAudit | undefined {
  return values.get(callAudit);
}

class RequestAudit implements CallAudit {
  readonly #request: UnaryRequest;
  readonly #actor: Actor;
  readonly #createdAt: Date;
  readonly #requestId: string;

  constructor(request: UnaryRequest, clock: Clock) {
    this.#request = request;
    this.#actor = actorOf(request);
    this.#createdAt = wholeSecond(clock);
    this.#requestId = requestIdIn(request.header);
  }

  entry({ action, objectId, tenantId, mode, details, isApart = false, user }: AuditContent): AuditRow {
    const { method, message } = this.#request;
    const owner = ownerIn(this.#request);
    const { onBehalfOf, ...actor } = user ? proven(this.#actor, user) : this.#actor;
    return {
      ...actor,
      id: newId("aud"),
      tenantId: tenantId ?? owner.tenantId ?? EVERY_TENANT,
      createdAt: this.#createdAt,
      action: action ?? method.name,
      mode: mode ?? owner.mode ?? null,
      objectId,
      details: {
        ...(isApart ? {} : redactedJson(method.input, message)),
        ...details,
        ...(onBehalfOf ? { on_behalf_of: onBehalfOf } : {}),
      },
      requestId: this.#requestId,
    };
  }
}

/** Returns the actor of a call that proves a user. A named token stays the actor. */
function proven(
  actor: Actor,
  { id, email, address = actor.address }: NonNullable<AuditContent["user"]>,
): Actor {
  if (actor.actorKind === "core_token") {
    return { ...actor, onBehalfOf: { actor: id, name: email, address } };
  }
  return { actorKind: "user", actorId: id, actorName: email, address };
}

/**
 * Returns the tenant and mode of the request's own fields if it is administrative, else those of its caller: the owner
 * of the request's id if the id decides, or the headers.
 */
function ownerIn(request: UnaryRequest): Partial<Pick<Caller, "tenantId" | "mode">> {
  const { method, header, contextValues } = request;
  if (isAdministrative(method)) return fieldsOf(request);
  const found = contextValues.get(foundCaller);
  if (found) return found;
  const [tenantId, mode] = [header.get(HEADERS.tenant), header.get(HEADERS.mode)];
  return {
    ...(tenantId ? { tenantId } : {}),
    ...(mode === "live" || mode === "test" ? { mode } : {}),
  };
}

function fieldsOf({ method, message }: UnaryRequest): { tenantId?: string; mode?: Mode } {
  const fields = message as Readonly<Record<string, unknown>>;
  const { tenantId } = fields;
  const field = method.input.fields.find(({ name }) => name === "mode");
  const mode = field && modeOfField(field, fields[field.localName]);
  return {
    ...(typeof tenantId === "string" && tenantId !== "" ? { tenantId } : {}),
    ...(mode ? { mode } : {}),
  };
}

export const isRead = ofMethod(
  ({ idempotency }) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
);

const auditedRead = ofMethod((method) => getOption(method, methodRules).auditedRead);

/** The RPCs that a gateway calls on behalf of others without entries: of the merchants' API, and of payers' pages. */
const isForOthers = ofMethod((method) => {
  const rules = getOption(method, methodRules);
  return (hasOption(method, http) && !rules.isAudited) || rules.isForPayers;
});

/**
 * Returns true if the call has an audit entry. A read has one only if its RPC says so. A change has one if its caller
 * is a user or an operator, if its RPC is administrative, or if the caller has a named token. The exception is a
 * gateway's token that calls on behalf of merchants and payers.
 */
function isAudited(request: UnaryRequest): boolean {
  const { method, header, contextValues } = request;
  if (isRead(method)) return isAuditedRead(request);
  if (header.has(HEADERS.actor) || isAdministrative(method)) return true;
  const token = contextValues.get(namedToken);
  return token !== undefined && !(token.isGateway && isForOthers(method));
}

function isAuditedRead({ method, header, contextValues }: UnaryRequest): boolean {
  const audited = auditedRead(method);
  if (audited === AuditedRead.UNSPECIFIED) return false;
  if (audited === AuditedRead.ALWAYS) return true;
  const isPerson = isId("usr", header.get(HEADERS.actor) ?? "");
  return !isPerson || contextValues.get(namedToken) !== undefined;
}
