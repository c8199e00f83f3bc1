import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type {
  ChangeMemberRoleRequest,
  RemoveMemberRequest,
  UsersService,
} from "../../gen/paylink/identity/v1/users_pb.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { update, type Change } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { writeDecided, type Decision } from "../platform/write/decision.ts";
import { Tenant } from "../identity/entities.ts";
import { Membership, type MembershipRow, type RoleName } from "./entities.ts";
import { requireMayGiveRoles } from "./given-roles.ts";
import { fromRole, toInvitation, toMember } from "./mapping.ts";
import { findMembers, findTenantName, listInvitations, listMembers, type Members } from "./repository.ts";
import type { TurnDeps } from "./deps.ts";
import { inTenantTurn } from "./in-tenant-turn.ts";
import { endLinksMadeBy, endMembership, endResetsOf } from "./session-ends.ts";

const OWNER: RoleName = "owner";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "listMembers" | "changeMemberRole" | "removeMember">;

/** The members of a tenant, and their roles. */
export function memberRpcs(deps: TurnDeps): Rpcs {
  async function write(
    { tenantId, userId }: { readonly tenantId: string; readonly userId: string },
    context: HandlerContext,
    decide: (member: MembershipRow, members: Members) => readonly Change[] | Promise<readonly Change[]>,
  ): Promise<Record<string, never>> {
    const decideWrite = async (): Promise<Decision<Record<string, never>>> => {
      const members = await membersOf(tenantId);
      const member = members.memberships.find((membership) => membership.userId === userId);
      if (!member) throw new PaylinkError("member_not_found", "There is no such member.");
      return { response: {}, changes: await decide(member, members), audit: { objectId: userId } };
    };
    return await writeDecided(deps.identity.committer, auditOf(context), decideWrite);
  }

  async function membersOf(tenantId: string): Promise<Members> {
    const members = await findMembers(deps.identity, tenantId);
    if (!members) throw tenantNotFound();
    return members;
  }

  return {
    listMembers: async ({ tenantId }) => {
      const { identity, clock } = deps;
      if ((await findTenantName(identity, tenantId)) === undefined) throw tenantNotFound();
      const members = await listMembers(identity, tenantId);
      const invitations = await listInvitations(identity, tenantId, wholeSecond(clock));
      return { members: members.map(toMember), invitations: invitations.map(toInvitation) };
    },
    changeMemberRole: inTenantTurn(
      deps,
      async ({ tenantId, userId, role }: ChangeMemberRoleRequest, context) =>
        await write({ tenantId, userId }, context, async (member, members) => {
          const changed = fromRole(role);
          if (member.role === changed) return [];
          await requireMayGiveRoles(deps, context, tenantId, [changed]);
          if (changed !== OWNER) requireAnotherOwner(member, members);
          return [
            update(Membership, { tenantId, userId, role: member.role }, { role: changed }),
            // An open link to new secrets was made for the former role.
            endResetsOf(userId, wholeSecond(deps.clock)),
            ...(changed === OWNER ? [] : [endLinksMadeBy(tenantId, userId, wholeSecond(deps.clock))]),
            ...advanceMembershipVersion(tenantId, members),
          ];
        }),
    ),
    removeMember: inTenantTurn(
      deps,
      async ({ tenantId, userId }: RemoveMemberRequest, context) =>
        await write({ tenantId, userId }, context, (member, members) => {
          requireAnotherOwner(member, members);
          const now = wholeSecond(deps.clock);
          return [
            ...advanceMembershipVersion(tenantId, members),
            endMembership(tenantId, userId, now),
            endLinksMadeBy(tenantId, userId, now),
          ];
        }),
    ),
  };
}

function tenantNotFound(): PaylinkError {
  return new PaylinkError("tenant_not_found", "There is no such tenant.");
}

function requireAnotherOwner(member: MembershipRow, { memberships }: Members): void {
  const others = memberships.filter(({ role, userId }) => role === OWNER && userId !== member.userId);
  if (member.role === OWNER && others.length === 0) {
    throw new PaylinkError("last_owner", "The tenant would be left without an owner.");
  }
}

/** Two concurrent changes of roles could remove the last owners together: the second one is decided again. */
function advanceMembershipVersion(tenantId: string, { version }: Members): Change[] {
  return [update(Tenant, { id: tenantId, membershipVersion: version }, { membershipVersion: version + 1 })];
}
