import type { HandlerContext } from "@connectrpc/connect";
import { permissionsOfRole, type RoleName } from "../../contract/roles.ts";
import { requireMayGive } from "../platform/rpc/grants.ts";
import { findRole } from "./repository.ts";
import type { UsersDeps } from "./deps.ts";

/** Refuses a caller that lets another act in roles that may do more than it. Error: insufficient_permission. */
export async function requireMayGiveRoles(
  { identity }: UsersDeps,
  context: HandlerContext,
  tenantId: string,
  roles: readonly RoleName[],
): Promise<void> {
  const permissions = roles.flatMap(permissionsOfRole);
  await requireMayGive(
    context,
    { tenantId, permissions },
    async (id, userId) => await findRole(identity, id, userId),
  );
}
