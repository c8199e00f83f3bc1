import { hash, timingSafeEqual } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { createContextKey, type ContextValues, type Interceptor } from "@connectrpc/connect";
import { PaylinkError } from "./errors.ts";
import { namedToken, type NamedToken } from "./named-token.ts";
import { isAllowed, permissionOf, type Permissions } from "../../../contract/permission.ts";

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
