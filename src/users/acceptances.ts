import type { ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AcceptInvitationRequest, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import type { CallAudit } from "../platform/rpc/audit-entry.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { insert, update, type Change } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import { writeDecided, type Decision } from "../platform/write/decision.ts";
import { forgetBrowsers } from "./known-browsers.ts";
import { totpStep, totpUri } from "./one-time-password.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import { strangerAt } from "./attempt-owner.ts";
import { Membership, User, type InvitationRow } from "./entities.ts";
import { toRole } from "./mapping.ts";
import {
  findAccount,
  findAccounts,
  findInvitation,
  findTenantName,
  hashesAmong,
  isMemberAmong,
  type Account,
} from "./repository.ts";
import type { UsersDeps } from "./deps.ts";
import { endLink, endResetsOf, endSessionsOf } from "./session-ends.ts";
import type { SignIns } from "./sign-ins.ts";
import { hashToken, hexOf } from "./token.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "getInvitation" | "acceptInvitation">;

/** A valid link, and the accounts with its address. */
interface Offer {
  readonly invitation: InvitationRow;
  readonly accounts: readonly Account[];
  /** The member whom the link gives new secrets. */
  readonly member: Account | undefined;
}

/** The decision to use a link. */
type Acceptance = Decision<{ readonly sessionToken: string; readonly browserToken: string }>;

/** The RPCs that use one-time links. */
export function acceptanceRpcs(deps: UsersDeps & { readonly signIns: SignIns }): Rpcs {
  /** Returns the offer of a link. Error: invitation_not_found, also if the link's conditions no longer hold. */
  async function offerOf(tokenHash: Uint8Array): Promise<Offer> {
    const { identity, clock } = deps;
    const invitation = await findInvitation(identity, hexOf(tokenHash), wholeSecond(clock));
    if (invitation && (await isMakerOwner(invitation))) {
      const { email, tenantId, userId, isOperator } = invitation;
      const accounts = await findAccounts(identity, email);
      if (userId === null) {
        if (!isMemberAmong(accounts, tenantId)) return { invitation, accounts, member: undefined };
      } else {
        const member = accounts.find(({ user }) => user.id === userId);
        const isMember = member !== undefined && isMemberAmong([member], tenantId);
        const isAllowed = isMember && (isOperator || member.memberships.length === 1);
        if (isAllowed) return { invitation, accounts, member };
      }
    }
    throw new PaylinkError("invitation_not_found", "This link is not good any more: ask for a new one.");
  }

  /**
   * Returns true if the link's maker is an owner of its tenant. If a maker is removed or loses the role just while
   * making a link, that link is not ended.
   */
  async function isMakerOwner({ tenantId, madeBy }: InvitationRow): Promise<boolean> {
    if (madeBy == null) return true;
    const maker = await findAccount(deps.identity, madeBy);
    return maker?.memberships.some((one) => one.tenantId === tenantId && one.role === "owner") ?? false;
  }

  /** Creates a new account, which shares only the address with others. The invitation alone proves it. */
  async function begin(offer: Offer, request: AcceptInvitationRequest): Promise<Acceptance> {
    const { invitation } = offer;
    const { email, totpSealed } = invitation;
    const name = request.name.trim();
    if (name === "") throw invalidRequest("name", "name is required.");
    const secrets = await newSecrets(offer, request);
    const user = { id: newId("usr"), email };
    const createdAt = wholeSecond(deps.clock);
    return acceptWith(invitation, user, request, [
      insert(User, { ...user, name, totpSealed, createdAt, language: request.language || null, ...secrets }),
    ]);
  }

  /** Adds a user who proves an existing account. */
  async function join(
    { invitation }: Offer,
    request: AcceptInvitationRequest,
    audit: CallAudit | undefined,
  ): Promise<Acceptance> {
    const { signIns } = deps;
    const proven = await signIns.prove({ ...request, email: invitation.email }, audit);
    await signIns.succeed(proven);
    return acceptWith(invitation, proven.user, request, [signIns.useCode(proven, request.language)]);
  }

  /** Gives a member new secrets. */
  async function reset(
    offer: Offer,
    { user }: Account,
    request: AcceptInvitationRequest,
  ): Promise<Acceptance> {
    const { invitation } = offer;
    const { tenantId, totpSealed } = invitation;
    const secrets = await newSecrets(offer, request);
    const { tokens, changes, audit } = deps.signIns.startSession({ ...request, user, tenantId });
    return {
      response: tokens,
      audit,
      changes: [
        forgetBrowsers(user.id),
        ...endLink(invitation, wholeSecond(deps.clock)),
        endResetsOf(user.id, wholeSecond(deps.clock)),
        // Joining another tenant meanwhile uses a code: the reset is then decided again, and refused.
        update(
          User,
          { id: user.id, passwordHash: user.passwordHash, totpStep: user.totpStep },
          { totpSealed, ...secrets, ...(request.language === "" ? {} : { language: request.language }) },
        ),
        ...changes,
        endSessionsOf(user.id, hashToken(tokens.sessionToken)),
      ],
    };
  }

  function acceptWith(
    invitation: InvitationRow,
    user: { readonly id: string; readonly email: string },
    request: AcceptInvitationRequest,
    first: readonly Change[],
  ): Acceptance {
    const { tenantId, role } = invitation;
    const { tokens, session, audit } = deps.signIns.startSession({ ...request, user, tenantId });
    const createdAt = wholeSecond(deps.clock);
    const membership = { tenantId, userId: user.id, role, createdAt, lastSignedInAt: createdAt };
    const changes = [
      ...endLink(invitation, wholeSecond(deps.clock)),
      ...first,
      insert(Membership, membership),
      ...session,
    ];
    return { response: tokens, changes, audit: { ...audit, objectId: user.id } };
  }

  async function newSecrets(
    { invitation, accounts, member }: Offer,
    { password, code, address }: AcceptInvitationRequest,
  ): Promise<{ readonly passwordHash: string; readonly totpStep: number }> {
    const { encryption, clock } = deps;
    const { email, totpSealed } = invitation;
    checkNewPassword(password, email, "password");
    const step = totpStep(await encryption.decrypt(totpSealed, email), code, clock.nowMs());
    if (step === undefined) throw new PaylinkError("code_refused", "The code is not right.", "code");
    const others = accounts.filter((account) => account !== member);
    return {
      passwordHash: await hashPassword(password, strangerAt(address), hashesAmong(others)),
      totpStep: step,
    };
  }

  return {
    getInvitation: async ({ tokenHash, isNewAccount }) => {
      const { identity, encryption } = deps;
      const { invitation, accounts, member } = await offerOf(tokenHash);
      const { tenantId, email, role, expiresAt } = invitation;
      const [hasAccount, isReset] = [accounts.length > 0, member !== undefined];
      const isProven = hasAccount && !isReset && !isNewAccount;
      const secret = isProven ? undefined : await encryption.decrypt(invitation.totpSealed, email);
      return {
        tenantName: (await findTenantName(identity, tenantId)) ?? "",
        email,
        role: toRole(role),
        hasAccount,
        isReset,
        expiresAt: timestampFromDate(expiresAt),
        totpSecret: secret,
        totpUri: secret && totpUri(secret, email),
      };
    },
    acceptInvitation: async (request, context) => {
      const audit = auditOf(context);
      return await writeDecided(deps.identity.committer, audit, async () => {
        const offer = await offerOf(request.tokenHash);
        if (offer.member) return await reset(offer, offer.member, request);
        const isNew = request.isNewAccount || offer.accounts.length === 0;
        if (isNew) return await begin(offer, request);
        // A refused sign-in has entries too.
        return await join(offer, request, audit);
      });
    },
  };
}
