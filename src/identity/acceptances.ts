import type { ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AcceptInvitationRequest, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { describeChange } from "../platform/audit-trail.ts";
import { insert, update, type Change } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { writeDecided } from "../platform/operation.ts";
import { totpStep, totpUri } from "./one-time-password.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import { Invitation, Membership, User, type InvitationRow } from "./people-entities.ts";
import { toRole } from "./people-mapping.ts";
import { findAccount, findInvitation, findTenantName, type Account } from "./people-repository.ts";
import type { PeopleDeps } from "./people.ts";
import { endSessionsOf } from "./session-ends.ts";
import type { SignIns } from "./sign-ins.ts";
import { hashToken, hexOf } from "./token.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "getInvitation" | "acceptInvitation">;

/** A link that is good, and the account that has its address. */
interface Offer {
  readonly invitation: InvitationRow;
  readonly account: Account | undefined;
  readonly isReset: boolean;
}

/** What a use of a link comes to. */
interface Acceptance {
  readonly response: { readonly sessionToken: string };
  readonly changes: readonly Change[];
}

/** How one-time links are used. */
export class Acceptances {
  readonly #deps: PeopleDeps & { readonly signIns: SignIns };

  constructor(deps: PeopleDeps & { readonly signIns: SignIns }) {
    this.#deps = deps;
  }

  readonly rpcs: Rpcs = {
    getInvitation: async ({ tokenHash }) => {
      const { identity, sealer } = this.#deps;
      const { invitation, account, isReset } = await this.#offerOf(tokenHash);
      const { tenantId, email, role, expiresAt } = invitation;
      const isAsked = account !== undefined && !isReset;
      const secret = isAsked ? undefined : await sealer.open(invitation.totpSealed, email);
      return {
        tenantName: (await findTenantName(identity, tenantId)) ?? "",
        email,
        role: toRole(role),
        hasAccount: account !== undefined,
        isReset,
        expiresAt: timestampFromDate(expiresAt),
        ...(secret === undefined ? {} : { totpSecret: secret, totpUri: totpUri(secret, email) }),
      };
    },
    acceptInvitation: async (request) =>
      await writeDecided(this.#deps.identity.committer, async () => {
        const offer = await this.#offerOf(request.tokenHash);
        if (offer.isReset) return await this.#reset(offer, request);
        return offer.account ? await this.#join(offer, request) : await this.#begin(offer, request);
      }),
  };

  /** Error: invitation_not_found, also when what the link was made for is not so any more. */
  async #offerOf(tokenHash: Uint8Array): Promise<Offer> {
    const { identity, clock } = this.#deps;
    const invitation = await findInvitation(identity, hexOf(tokenHash), wholeSecond(clock));
    if (invitation) {
      const { email, tenantId, userId, isOperator } = invitation;
      const account = await findAccount(identity, { email });
      const tenants = (account?.memberships ?? []).map((membership) => membership.tenantId);
      const isReset = userId !== null;
      const isMember = tenants.includes(tenantId);
      const isAllowed = isReset ? isMember && (isOperator || tenants.length === 1) : !isMember;
      if (isAllowed) return { invitation, account, isReset };
    }
    throw new PaylinkError("invitation_not_found", "This link is not good any more: ask for a new one.");
  }

  /** Somebody new. */
  async #begin({ invitation }: Offer, request: AcceptInvitationRequest): Promise<Acceptance> {
    const { email, totpSealed } = invitation;
    const name = request.name.trim();
    if (name === "") throw invalidRequest("name", "name is required.");
    const secrets = await this.#newSecrets(invitation, request);
    const user = { id: newId("usr"), email };
    const createdAt = wholeSecond(this.#deps.clock);
    return this.#accepted(invitation, user, request, [
      insert(User, { ...user, name, totpSealed, createdAt, ...secrets }),
    ]);
  }

  /** Somebody who has an account, and proves it. */
  async #join({ invitation }: Offer, request: AcceptInvitationRequest): Promise<Acceptance> {
    const { signIns } = this.#deps;
    const proven = await signIns.prove({ ...request, email: invitation.email });
    return this.#accepted(invitation, proven.user, request, [signIns.useCode(proven)]);
  }

  /** A member with new secrets. */
  async #reset({ invitation, account }: Offer, request: AcceptInvitationRequest): Promise<Acceptance> {
    if (!account) throw new Error("a reset is of a member");
    const { user } = account;
    const { tenantId, totpSealed } = invitation;
    const secrets = await this.#newSecrets(invitation, request);
    const { address, userAgent } = request;
    const { sessionToken, changes } = this.#deps.signIns.newSession(user, tenantId, address, userAgent);
    return {
      response: { sessionToken },
      changes: [
        this.#use(invitation),
        // Joining another tenant meanwhile uses a code up: the reset is then decided afresh, and refused.
        update(
          User,
          { id: user.id, passwordHash: user.passwordHash, totpStep: user.totpStep },
          { totpSealed, ...secrets },
        ),
        ...changes,
        endSessionsOf(user.id, hashToken(sessionToken)),
      ],
    };
  }

  #accepted(
    invitation: InvitationRow,
    user: { readonly id: string; readonly email: string },
    { address, userAgent }: AcceptInvitationRequest,
    first: readonly Change[],
  ): Acceptance {
    const { tenantId, role } = invitation;
    const { sessionToken, session } = this.#deps.signIns.newSession(user, tenantId, address, userAgent);
    describeChange({ objectId: user.id });
    const createdAt = wholeSecond(this.#deps.clock);
    const membership = { tenantId, userId: user.id, role, createdAt, lastSignedInAt: createdAt };
    const changes = [this.#use(invitation), ...first, insert(Membership, membership), session];
    return { response: { sessionToken }, changes };
  }

  async #newSecrets(invitation: InvitationRow, { password, code }: AcceptInvitationRequest) {
    const { sealer, clock } = this.#deps;
    const { email, totpSealed } = invitation;
    checkNewPassword(password, email, "password");
    const step = totpStep(await sealer.open(totpSealed, email), code, clock.nowMs());
    if (step === undefined) throw new PaylinkError("code_refused", "The code is not right.", "code");
    return { passwordHash: await hashPassword(password), totpStep: step };
  }

  /** A link works once, also when two use it at the same moment. */
  #use({ tenantId, id }: InvitationRow): Change {
    return update(Invitation, { tenantId, id, endedAt: null }, { endedAt: wholeSecond(this.#deps.clock) });
  }
}
