import type { HandlerContext } from "@connectrpc/connect";
import { lackingOf, type Permissions } from "../../../contract/permission.ts";
import { permissionsOfRole, type RoleName } from "../../../contract/roles.ts";
import { userAsking } from "./actor.ts";
import { PaylinkError } from "./errors.ts";
import { namedToken } from "./core-access.ts";

/** Returns the role of a user in a tenant, or undefined if they are no member. */
export type RoleOf = (tenantId: string, userId: string) => Promise<RoleName | undefined>;

/** What a new key, token, role or one-time link may do. */
export interface Given {
  /** The tenant whose users may give it; undefined: none may. */
  readonly tenantId: string | undefined;
  readonly permissions: Permissions;
}

/**
 * Refuses a caller that gives more than it has: a named core token by its permissions, and a user by their role. The
 * core's own token gives everything, for no user. Error: insufficient_permission.
 */
export async function requireMayGive(
  { values, requestHeader }: Pick<HandlerContext, "values" | "requestHeader">,
  { tenantId, permissions }: Given,
  roleOf: RoleOf,
): Promise<void> {
  const token = values.get(namedToken);
  if (token) requireHeld("The core token cannot give what it has not", token.permissions, permissions);
  const user = userAsking({ requestHeader });
  if (user === null) return;
  const role = tenantId === undefined ? undefined : await roleOf(tenantId, user);
  requireHeld("The user cannot give what they have not", role ? permissionsOfRole(role) : [], permissions);
}

function requireHeld(refusal: string, held: Permissions, given: Permissions): void {
  const lacking = lackingOf(held, given);
  if (lacking === undefined) return;
  throw new PaylinkError("insufficient_permission", `${refusal}: ${lacking}.`);
}
