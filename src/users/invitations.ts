import type { ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { userAsking } from "../platform/actor.ts";
import { describeChange } from "../platform/audit-trail.ts";
import { insert, update, type Change } from "../platform/change.ts";
import { secondsAfter, wholeSecond } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import { newId } from "../../contract/ids.ts";
import { requireWithinBounds } from "../platform/token-bounds.ts";
import { writeDecided } from "../platform/operation.ts";
import { newTotpSecret } from "./one-time-password.ts";
import { Invitation, type InvitationRow, type RoleName } from "./entities.ts";
import { fromRole } from "./mapping.ts";
import {
  findAccount,
  findAccounts,
  findTenantName,
  findUnendedInvitation,
  findUsers,
  findMembers,
  isMemberAmong,
} from "./repository.ts";
import type { UsersDeps } from "./service.ts";
import { hashToken, newToken } from "./token.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "inviteUser" | "revokeInvitation" | "resetUser">;

interface NewLink {
  readonly tenantId: string;
  readonly email: string;
  readonly role: RoleName;
  /** The member whom the link gives new secrets; null for an invitation. */
  readonly userId: string | null;
  readonly isOperator: boolean;
  /** The user who makes it. The link ends when that user is no longer an owner. */
  readonly madeBy: string | null;
}

const LIFE_SECONDS = 7 * 24 * 60 * 60;

/** Creates and revokes one-time links: invitations, and resets of a member's secrets. Acceptances uses them. */
export class Invitations {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  readonly rpcs: Rpcs = {
    inviteUser: async ({ tenantId, email: given, role }, context) => {
      const { identity } = this.#deps;
      const email = given.toLowerCase();
      await this.#requireTenant(tenantId);
      if (isMemberAmong(await findAccounts(identity, email), tenantId)) {
        throw new PaylinkError("user_exists", "This user belongs to the tenant already.", "email");
      }
      const { id, token, expiresAt } = await this.#make({
        tenantId,
        email,
        role: fromRole(role),
        userId: null,
        isOperator: false,
        madeBy: userAsking(context),
      });
      return { invitationId: id, token, expiresAt };
    },
    revokeInvitation: async ({ tenantId, id }) => {
      const { identity } = this.#deps;
      await this.#requireTenant(tenantId);
      const invitation = await findUnendedInvitation(identity, tenantId, { id });
      const isRevoked =
        invitation !== null &&
        (await identity.committer.commit([this.#end(invitation)], null)) === "committed";
      if (!isRevoked) throw new PaylinkError("invitation_not_found", "There is no such open invitation.");
      return {};
    },
    resetUser: async ({ tenantId, userId, isOperator }, context) => {
      // The operator's reset also affects a user's other tenants.
      if (isOperator) requireWithinBounds(context.values, { tenantId: undefined, mode: undefined });
      const { identity } = this.#deps;
      const members = await findMembers(identity, tenantId);
      const member = members?.memberships.find((membership) => membership.userId === userId);
      const [user] = member ? await findUsers(identity, [userId]) : [];
      if (!member || !user) throw new PaylinkError("member_not_found", "There is no such member.");
      const account = await findAccount(identity, userId);
      if (!isOperator && (account?.memberships.length ?? 0) > 1) {
        const message = "The user belongs to another tenant too: ask the operator of this installation.";
        throw new PaylinkError("reset_not_allowed", message);
      }
      const { role } = member;
      const { token, expiresAt } = await this.#make({
        tenantId,
        email: user.email,
        role,
        userId,
        isOperator,
        madeBy: userAsking(context),
      });
      return { token, expiresAt };
    },
  };

  async #requireTenant(tenantId: string): Promise<void> {
    if ((await findTenantName(this.#deps.identity, tenantId)) !== undefined) return;
    throw new PaylinkError("tenant_not_found", "There is no such tenant.");
  }

  /** Creates a link, and ends the open one for the same address. */
  async #make(link: NewLink) {
    const { identity, clock, encryption } = this.#deps;
    const token = newToken();
    const id = newId("inv");
    // The entry names the new link, not the open one, which ends.
    describeChange({ objectId: link.userId ?? id });
    const createdAt = wholeSecond(clock);
    const expiresAt = secondsAfter(createdAt, LIFE_SECONDS);
    const totpSealed = await encryption.encrypt(newTotpSecret(), link.email);
    const made = insert(Invitation, {
      ...link,
      id,
      tokenHash: hashToken(token),
      totpSealed,
      createdAt,
      expiresAt,
      endedAt: null,
    });
    return await writeDecided(identity.committer, async () => {
      const open = await findUnendedInvitation(identity, link.tenantId, { email: link.email });
      const changes = open ? [this.#end(open), made] : [made];
      return { response: { id, token, expiresAt: timestampFromDate(expiresAt) }, changes };
    });
  }

  #end({ tenantId, id }: InvitationRow): Change {
    return update(Invitation, { tenantId, id, endedAt: null }, { endedAt: wholeSecond(this.#deps.clock) });
  }
}
