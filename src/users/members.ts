import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { auditOf } from "../platform/audit-trail.ts";
import { update, type Change } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import { writeDecided, type Decision } from "../platform/decision.ts";
import { Tenant } from "../identity/entities.ts";
import { Membership, type MembershipRow, type RoleName } from "./entities.ts";
import { fromRole, toInvitation, toMember } from "./mapping.ts";
import { findMembers, findUsers, listInvitations, type Members as Found } from "./repository.ts";
import type { UsersDeps } from "./service.ts";
import { endLinksMadeBy, endMembership } from "./session-ends.ts";

const OWNER: RoleName = "owner";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "listMembers" | "changeMemberRole" | "removeMember">;

/** The members of a tenant, and their roles. */
export class Members {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  readonly rpcs: Rpcs = {
    listMembers: async ({ tenantId }) => {
      const { identity, clock } = this.#deps;
      const { memberships } = await this.#membersOf(tenantId);
      const users = await findUsers(
        identity,
        memberships.map(({ userId }) => userId),
      );
      const byId = new Map(users.map((user) => [user.id, user]));
      const members = memberships.flatMap((membership) => {
        const user = byId.get(membership.userId);
        return user ? [toMember(membership, user)] : [];
      });
      const invitations = await listInvitations(identity, tenantId, wholeSecond(clock));
      return { members, invitations: invitations.map(toInvitation) };
    },
    changeMemberRole: async ({ tenantId, userId, role }, context) =>
      await this.#write({ tenantId, userId }, context, (member, members) => {
        const changed = fromRole(role);
        if (member.role === changed) return [];
        if (changed !== OWNER) requireAnotherOwner(member, members);
        return [
          update(Membership, { tenantId, userId, role: member.role }, { role: changed }),
          ...(changed === OWNER ? [] : [endLinksMadeBy(tenantId, userId, wholeSecond(this.#deps.clock))]),
          ...held(tenantId, members),
        ];
      }),
    removeMember: async ({ tenantId, userId }, context) =>
      await this.#write({ tenantId, userId }, context, (member, members) => {
        requireAnotherOwner(member, members);
        const now = wholeSecond(this.#deps.clock);
        return [
          ...held(tenantId, members),
          endMembership(tenantId, userId, now),
          endLinksMadeBy(tenantId, userId, now),
        ];
      }),
  };

  async #write(
    { tenantId, userId }: { readonly tenantId: string; readonly userId: string },
    context: HandlerContext,
    decide: (member: MembershipRow, members: Found) => readonly Change[],
  ): Promise<Record<string, never>> {
    return await writeDecided(
      this.#deps.identity.committer,
      auditOf(context),
      async (): Promise<Decision<Record<string, never>>> => {
        const members = await this.#membersOf(tenantId);
        const member = members.memberships.find((membership) => membership.userId === userId);
        if (!member) throw new PaylinkError("member_not_found", "There is no such member.");
        return { response: {}, changes: decide(member, members), audit: { objectId: userId } };
      },
    );
  }

  async #membersOf(tenantId: string): Promise<Found> {
    const members = await findMembers(this.#deps.identity, tenantId);
    if (!members) throw new PaylinkError("tenant_not_found", "There is no such tenant.");
    return members;
  }
}

function requireAnotherOwner(member: MembershipRow, { memberships }: Found): void {
  const others = memberships.filter(({ role, userId }) => role === OWNER && userId !== member.userId);
  if (member.role === OWNER && others.length === 0) {
    throw new PaylinkError("last_owner", "The tenant would be left without an owner.");
  }
}

/** Two concurrent changes of roles could remove the last owners together: the second one is decided again. */
function held(tenantId: string, { version }: Found): Change[] {
  return [update(Tenant, { id: tenantId, membershipVersion: version }, { membershipVersion: version + 1 })];
}
