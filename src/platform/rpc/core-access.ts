import { hash, timingSafeEqual } from "node:crypto";
import type { DescMethod, DescField } from "@bufbuild/protobuf";
import {
  createContextKey,
  type ContextValues,
  type Interceptor,
  type UnaryRequest,
} from "@connectrpc/connect";
import { PaylinkError } from "./errors.ts";
import { isAllowed, permissionOf, type Permissions } from "../../../contract/permission.ts";
import { type Mode, modeOfField } from "./caller.ts";
import { HEADERS } from "../../../contract/headers.ts";
import { isAdministrative, ofMethod } from "../../../contract/of-method.ts";

/** A named core token, with its permissions and bounds. */
export interface NamedToken {
  readonly id: string;
  readonly permissions: Permissions;
  /** The tenant that it is bound to; null: any. */
  readonly tenantId: string | null;
  /** The mode that it is bound to; null: any. */
  readonly mode: Mode | null;
  /** True: its calls for merchants and payers count as theirs, see `CreateCoreTokenRequest.is_gateway`. */
  readonly isGateway: boolean;
}

export interface CoreAccess {
  /** The core's own token, which has all permissions. */
  readonly coreToken: string;
  /** Returns the token with this hex SHA-256, or undefined if it is unknown or revoked. */
  readonly findToken: (tokenHash: string) => Promise<NamedToken | undefined>;
  /** Services that need no token. */
  readonly open: ReadonlySet<string>;
  /** Services that any valid token may call. */
  readonly common: ReadonlySet<string>;
}

/** The head of a call: the headers decide before its body is read. */
interface CallHead {
  /** True: the caller is in this process. */
  readonly isDirect?: boolean;
  readonly method: DescMethod;
  readonly header: Headers;
  readonly values: ContextValues;
}

/**
 * Admits a call, or throws; returns undefined if it is admitted at once. It records the result in the call's values, so
 * that each call is checked once.
 */
export type Admit = (call: CallHead) => Promise<void> | undefined;

/** The scheme of calls within the process: no listener has admitted them. */
export const DIRECT_SCHEME = "direct:";

/** The id of the named core token of a call; undefined for the core's own token. */
export const presentedToken = createContextKey<string | undefined>(undefined);

/** The named core token of a call; undefined for the core's own token. */
export const namedToken = createContextKey<NamedToken | undefined>(undefined);

const isAdmitted = createContextKey(false);

const BEARER = /^Bearer ([\x21-\x7e]{1,200})$/i;

/** Admits a call by the core token in its Authorization header. Errors: invalid_core_token, insufficient_permission. */
export function admitByToken({ coreToken, findToken, open, common }: CoreAccess): Admit {
  const own = hash("sha256", coreToken, "buffer");
  const ownHeader = `Bearer ${coreToken}`;
  const admitNamed = async (tokenHash: string, { method, values }: CallHead): Promise<void> => {
    const named = await findToken(tokenHash);
    if (!named) throw invalidToken();
    values.set(presentedToken, named.id).set(namedToken, named);
    if (!common.has(method.parent.typeName)) requirePermission(named.permissions, method);
    values.set(isAdmitted, true);
  };
  return (call) => {
    const { method, header, values, isDirect = false } = call;
    if (values.get(isAdmitted)) return undefined;
    if (open.has(method.parent.typeName)) {
      values.set(isAdmitted, true);
      return undefined;
    }
    const authorization = header.get("authorization");
    // How long this comparison takes is seen by no one outside, and a hash takes far longer.
    if (!isDirect || authorization !== ownHeader) {
      const token = tokenIn(authorization);
      if (token === undefined) throw invalidToken();
      const presented = hash("sha256", token, "buffer");
      if (!timingSafeEqual(presented, own)) return admitNamed(presented.toString("hex"), call);
    }
    // The core's own token has all permissions.
    values.set(isAdmitted, true);
    return undefined;
  };
}

function requirePermission(held: Permissions, method: DescMethod): void {
  const needed = permissionOf(method);
  if (isAllowed(held, needed)) return;
  const [service, level] = needed.split(":");
  throw new PaylinkError("insufficient_permission", `The core token may not ${level} on ${service}.`);
}

function invalidToken(): PaylinkError {
  return new PaylinkError("invalid_core_token", "The core token is missing or is not good any more.");
}

function tokenIn(authorization: string | null | undefined): string | undefined {
  return BEARER.exec(authorization ?? "")?.[1];
}

/** Admits a call that no listener has admitted: calls within the process pass no listener. */
export function requireAdmission(admit: Admit): Interceptor {
  return (next) => {
    const admitted = async (admission: Promise<void>, ...call: Parameters<typeof next>) => {
      await admission;
      return await next(...call);
    };
    return (request) => {
      const { method, header, contextValues: values, url } = request;
      const admission = admit({ isDirect: url.startsWith(DIRECT_SCHEME), method, header, values });
      return admission ? admitted(admission, request) : next(request);
    };
  };
}

interface Whose {
  readonly tenantId: unknown;
  readonly mode: Mode | undefined;
}

/** Headers that are absent are checked later, or found by an id. */
interface CallOwner {
  readonly tenantId: unknown;
  readonly mode: unknown;
}

const ABSENT = Symbol("absent");

/**
 * Refuses calls outside the tenant or mode that a named token is bound to. The headers name the call's tenant and mode;
 * for an administrative call, its fields do. An administrative call without one is refused too. Error:
 * insufficient_permission.
 */
export function holdToBounds(): Interceptor {
  return (next) => (request) => {
    const token = request.contextValues.get(namedToken);
    if (token && isBound(token) && !request.stream) {
      const owner = isAdministrative(request.method) ? fieldsOf(request) : headersOf(request.header);
      if (!isWithin(token, owner)) throw outOfBounds();
    }
    return next(request);
  };
}

/** For RPCs that find the tenant and mode of a call by an id. Error: insufficient_permission. */
export function requireWithinBounds(values: ContextValues, owner: Whose): void {
  if (!areWithinBounds(values, owner)) throw outOfBounds();
}

/** Returns true if the call's token is bound to this tenant and mode, or not bound. */
export function areWithinBounds(values: ContextValues, owner: Whose): boolean {
  const token = values.get(namedToken);
  return token === undefined || isWithin(token, owner);
}

function isBound({ tenantId, mode }: NamedToken): boolean {
  return tenantId !== null || mode !== null;
}

function isWithin({ tenantId, mode }: NamedToken, owner: CallOwner): boolean {
  return isSame(tenantId, owner.tenantId) && isSame(mode, owner.mode);
}

function isSame(held: string | null, named: unknown): boolean {
  return held === null || named === ABSENT || named === held;
}

function headersOf(header: Headers): CallOwner {
  return { tenantId: header.get(HEADERS.tenant) ?? ABSENT, mode: header.get(HEADERS.mode) ?? ABSENT };
}

function fieldsOf({ method, message }: UnaryRequest): CallOwner {
  const { tenant, mode } = boundFields(method);
  const given = message as Readonly<Record<string, unknown>>;
  return {
    tenantId: tenant && given[tenant.localName],
    mode: mode && modeOfField(mode, given[mode.localName]),
  };
}

const boundFields = ofMethod(({ input }): { tenant: DescField | undefined; mode: DescField | undefined } => ({
  tenant: input.fields.find(({ name }) => name === "tenant_id"),
  mode: input.fields.find(({ name }) => name === "mode"),
}));

function outOfBounds(): PaylinkError {
  const message = "The core token is bound to a tenant or a mode, and this call is not for it alone.";
  return new PaylinkError("insufficient_permission", message);
}
