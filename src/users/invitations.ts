import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  InviteUserRequest,
  ResetUserRequest,
  UsersService,
} from "../../gen/paylink/identity/v1/users_pb.ts";
import { userAsking } from "../platform/rpc/actor.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { hold, insert, type Change } from "../platform/write/change.ts";
import { secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import { languageOr, type Language } from "../../contract/messages.ts";
import { linkMail } from "../mail/texts.ts";
import { requireWithinBounds } from "../platform/rpc/core-access.ts";
import { writeDecided } from "../platform/write/decision.ts";
import { requireMayGiveRoles } from "./given-roles.ts";
import { newTotpSecret } from "./one-time-password.ts";
import { Invitation, User, type RoleName } from "./entities.ts";
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
import { endLink } from "./session-ends.ts";
import type { TurnDeps } from "./deps.ts";
import { inTenantTurn } from "./in-tenant-turn.ts";
import type { SignInDeps } from "./sign-ins.ts";
import { hashToken, newToken } from "./token.ts";
import { requireCapacity } from "./user-quota.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "inviteUser" | "revokeInvitation" | "resetUser">;

interface NewLink {
  readonly tenantId: string;
  readonly email: string;
  readonly role: RoleName;
  /** The member whom the link gives new secrets; null for an invitation. */
  readonly userId: string | null;
  readonly isOperator: boolean;
}

/** How long a link is tried to be sent by e-mail. */
const MAIL_SECONDS = 24 * 60 * 60;
const LIFE_SECONDS = 7 * 24 * 60 * 60;

/** Creates and revokes one-time links: invitations, and resets of a member's secrets. Acceptances uses them. */
export function invitationRpcs(deps: SignInDeps & TurnDeps): Rpcs {
  async function requireTenant(tenantId: string): Promise<void> {
    if ((await findTenantName(deps.identity, tenantId)) !== undefined) return;
    throw new PaylinkError("tenant_not_found", "There is no such tenant.");
  }

  /** Creates a link, and ends the open one for the same address. It ends when its maker is no longer an owner. */
  async function make(context: HandlerContext, link: NewLink, language: Language) {
    const { identity, clock, encryption } = deps;
    const token = newToken();
    const url = `${deps.consoleUrl}/invitations/${token}`;
    const id = newId("inv");
    const createdAt = wholeSecond(clock);
    const expiresAt = secondsAfter(createdAt, LIFE_SECONDS);
    const totpSealed = await encryption.encrypt(newTotpSecret(), link.email);
    const made = insert(Invitation, {
      ...link,
      madeBy: userAsking(context),
      id,
      tokenHash: hashToken(token),
      totpSealed,
      createdAt,
      expiresAt,
      endedAt: null,
    });
    // The entry names the new link, not the open one, which ends.
    const audit = { objectId: link.userId ?? id };
    const decide = async () => {
      const open = await findUnendedInvitation(identity, link.tenantId, { email: link.email });
      const mailed = await mailLink(link, id, language, url, expiresAt);
      const required = await requireCapacityOrMember(link, createdAt);
      const changes = [...(open ? endLink(open, createdAt) : []), ...required, made, ...mailed];
      const isMailed = mailed.length > 0;
      return {
        response: { id, token, url, isMailed, expiresAt: timestampFromDate(expiresAt) },
        changes,
        audit,
      };
    };
    return await writeDecided(identity.committer, auditOf(context), decide);
  }

  /**
   * Returns the changes that count the link and send it to its user, if e-mail is sent. The operator's are not counted.
   * Error at the commit: too_many_emails.
   */
  async function mailLink(
    { tenantId, email: to, userId, isOperator }: NewLink,
    linkId: string,
    language: Language,
    url: string,
    expiresAt: Date,
  ): Promise<Change[]> {
    const { mails, identity, limiter } = deps;
    if (!mails) return [];
    const tenantName = (await findTenantName(identity, tenantId)) ?? "";
    const kind = userId === null ? "invitation" : "secrets";
    const content = linkMail(kind, { to, language, url, expiresAt, tenantName });
    const mail = { content, lifeSeconds: MAIL_SECONDS, tenantId, linkId };
    return [...(isOperator ? [] : [limiter.countLinkMail(tenantId, to)]), mails.outbox.insertMail(mail)];
  }

  /** Error: member_not_found if the member was removed meanwhile. */
  async function requireCapacityOrMember({ tenantId, userId }: NewLink, now: Date): Promise<Change[]> {
    if (userId === null) return [requireCapacity(tenantId, deps.quotas.users, now)];
    if (!(await findAccount(deps.identity, userId))) throw memberNotFound();
    return [hold(User, { id: userId })];
  }

  return {
    inviteUser: inTenantTurn(
      deps,
      async ({ tenantId, email: given, role, language }: InviteUserRequest, context) => {
        const { identity } = deps;
        const email = given.toLowerCase();
        await requireTenant(tenantId);
        await requireMayGiveRoles(deps, context, tenantId, [fromRole(role)]);
        if (isMemberAmong(await findAccounts(identity, email), tenantId)) {
          throw new PaylinkError("user_exists", "This user belongs to the tenant already.", "email");
        }
        const link = { tenantId, email, role: fromRole(role), userId: null, isOperator: false };
        const { id, ...made } = await make(context, link, languageOr(language));
        return { invitationId: id, ...made };
      },
    ),
    revokeInvitation: async ({ tenantId, id }, context) => {
      const { identity } = deps;
      await requireTenant(tenantId);
      const invitation = await findUnendedInvitation(identity, tenantId, { id });
      const entry = auditOf(context)?.entry({ objectId: id });
      const changes = invitation ? endLink(invitation, wholeSecond(deps.clock)) : [];
      const isRevoked =
        invitation !== null && (await identity.committer.commit(changes, entry)) === "committed";
      if (!isRevoked) throw new PaylinkError("invitation_not_found", "There is no such open invitation.");
      return {};
    },
    resetUser: inTenantTurn(deps, async ({ tenantId, userId, isOperator }: ResetUserRequest, context) => {
      // The operator's reset also affects a user's other tenants.
      if (isOperator) requireWithinBounds(context.values, { tenantId: undefined, mode: undefined });
      const { identity } = deps;
      const members = await findMembers(identity, tenantId);
      const member = members?.memberships.find((membership) => membership.userId === userId);
      const [user] = member ? await findUsers(identity, [userId]) : [];
      if (!member || !user) throw memberNotFound();
      const account = await findAccount(identity, userId);
      if (!isOperator && (account?.memberships.length ?? 0) > 1) {
        const message = "The user belongs to another tenant too: ask the operator of this installation.";
        throw new PaylinkError("reset_not_allowed", message);
      }
      // Who opens the link acts in each tenant of the account.
      const roles = account?.memberships.map((membership) => membership.role) ?? [];
      await requireMayGiveRoles(deps, context, tenantId, roles);
      const { role } = member;
      const link = { tenantId, email: user.email, role, userId, isOperator };
      const { token, url, expiresAt, isMailed } = await make(context, link, languageOr(user.language));
      return { token, url, expiresAt, isMailed };
    }),
  };
}

function memberNotFound(): PaylinkError {
  return new PaylinkError("member_not_found", "There is no such member.");
}
