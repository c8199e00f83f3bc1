import {
  createContextKey,
  type HandlerContext,
  type Interceptor,
  type UnaryRequest,
} from "@connectrpc/connect";
import { HEADERS } from "../../../contract/headers.ts";
import { actorOf, type Actor } from "./actor.ts";
import type { AuditRow, AuditContent, CallAudit } from "./audit-entry.ts";
import { isAudited } from "./audited.ts";
import { foundCaller, modeOfField, requestIdIn, type Caller, type Mode } from "./caller.ts";
import { wholeSecond, type Clock } from "../time/clock.ts";
import { newId } from "../../../contract/ids.ts";
import { isAdministrative } from "../../../contract/of-method.ts";
import { redactedJson } from "../text/redact.ts";

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
