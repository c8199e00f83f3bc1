import { hash, timingSafeEqual } from "node:crypto";
import type { Interceptor } from "@connectrpc/connect";
import { PaylinkError } from "./errors.ts";
import { EVERYTHING, isAllowed, permissionOf, type Permissions } from "./permission.ts";

/** What a named core token may do, by its hex SHA-256; undefined when it is unknown or revoked. */
type FindPermissions = (tokenHash: string) => Promise<Permissions | undefined>;

export interface CoreAccess {
  /** The core's own token, which may do everything. */
  readonly coreToken: string;
  readonly findPermissions: FindPermissions;
  /** Services that anybody may ask. */
  readonly open: ReadonlySet<string>;
  /** Services that anybody with a token may ask. */
  readonly common: ReadonlySet<string>;
}

const BEARER = /^Bearer ([\x21-\x7e]{1,200})$/i;

/**
 * Lets a request in by the core token that it presents as its bearer token.
 * Errors: invalid_core_token, insufficient_permission.
 */
export function requireCoreAccess({ coreToken, findPermissions, open, common }: CoreAccess): Interceptor {
  const own = hash("sha256", coreToken, "buffer");
  const permissionsOf = async (token: string): Promise<Permissions | undefined> => {
    const presented = hash("sha256", token, "buffer");
    return timingSafeEqual(presented, own) ? EVERYTHING : await findPermissions(presented.toString("hex"));
  };
  return (next) => async (request) => {
    const { typeName } = request.service;
    if (open.has(typeName)) return await next(request);
    const [, token] = BEARER.exec(request.header.get("authorization") ?? "") ?? [];
    const held = token === undefined ? undefined : await permissionsOf(token);
    if (!held) {
      throw new PaylinkError("invalid_core_token", "The core token is missing, invalid or revoked.");
    }
    const asked = permissionOf(request.method);
    if (!common.has(typeName) && !isAllowed(held, asked)) {
      const [service, level] = asked.split(":");
      throw new PaylinkError("insufficient_permission", `The core token may not ${level} on ${service}.`);
    }
    return await next(request);
  };
}
