import { hash, timingSafeEqual } from "node:crypto";
import { createContextKey, type ContextValues, type Interceptor } from "@connectrpc/connect";
import { PaylinkError } from "./errors.ts";
import { EVERYTHING, isAllowed, permissionOf, type Permissions } from "./permission.ts";

/** A named core token: who presents it, and what it may do. */
export interface NamedToken {
  readonly id: string;
  readonly permissions: Permissions;
}

export interface CoreAccess {
  /** The core's own token, which may do everything. */
  readonly coreToken: string;
  /** The token of this hex SHA-256; undefined when it is unknown or revoked. */
  readonly findToken: (tokenHash: string) => Promise<NamedToken | undefined>;
  /** Services that anybody may ask. */
  readonly open: ReadonlySet<string>;
  /** Services that anybody with a token may ask. */
  readonly common: ReadonlySet<string>;
}

/** The id of the named core token that a call presented; undefined for the core's own. */
export const presentedToken = createContextKey<string | undefined>(undefined);

const BEARER = /^Bearer ([\x21-\x7e]{1,200})$/i;

/**
 * Lets a request in by the core token that it presents as its bearer token.
 * Errors: invalid_core_token, insufficient_permission.
 */
export function requireCoreAccess({ coreToken, findToken, open, common }: CoreAccess): Interceptor {
  const own = hash("sha256", coreToken, "buffer");
  const permissionsOf = async (token: string, context: ContextValues): Promise<Permissions | undefined> => {
    const presented = hash("sha256", token, "buffer");
    if (timingSafeEqual(presented, own)) return EVERYTHING;
    const named = await findToken(presented.toString("hex"));
    if (named) context.set(presentedToken, named.id);
    return named?.permissions;
  };
  return (next) => async (request) => {
    const { typeName } = request.service;
    if (open.has(typeName)) return await next(request);
    const [, token] = BEARER.exec(request.header.get("authorization") ?? "") ?? [];
    const held = token === undefined ? undefined : await permissionsOf(token, request.contextValues);
    if (!held) {
      throw new PaylinkError("invalid_core_token", "The core token is missing or is not good any more.");
    }
    const asked = permissionOf(request.method);
    if (!common.has(typeName) && !isAllowed(held, asked)) {
      const [service, level] = asked.split(":");
      throw new PaylinkError("insufficient_permission", `The core token may not ${level} on ${service}.`);
    }
    return await next(request);
  };
}
