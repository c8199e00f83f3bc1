import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { AuditEntry } from "../platform/audit-entry.ts";
import { auditRowOf, describeChange } from "../platform/audit-trail.ts";
import { insert, insertAll, update, type Change } from "../platform/change.ts";
import { secondsAfter, wholeSecond } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { Attempts } from "./attempts.ts";
import { newTotpSecret, totpStep } from "./one-time-password.ts";
import { isPassword } from "./password.ts";
import { Membership, Session, User, type UserRow } from "./people-entities.ts";
import { findAccount, type Account } from "./people-repository.ts";
import type { PeopleDeps } from "./people.ts";
import { LIFE_SECONDS } from "./session-repository.ts";
import { hashToken, newToken } from "./token.ts";

export interface SignInDeps extends PeopleDeps {
  readonly attempts: Attempts;
}

/** What somebody proves with that an account is theirs, and from where. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly code: string;
  readonly address: string;
}

/** A person who proved to be who they say, and the step of time of their code. */
export interface Proven extends Account {
  readonly step: number;
}

const USER_AGENT_CHARACTERS_MAX = 200;
const NOBODY = "nobody";

/** How people sign in. */
export class SignIns {
  readonly #deps: SignInDeps;
  // What an unknown person's code is checked against, which takes as long as for a known one.
  readonly #nobodysSecret: Promise<string>;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    this.#nobodysSecret = deps.sealer.seal(newTotpSecret(), NOBODY);
  }

  readonly rpcs: Pick<ServiceImpl<typeof UsersService>, "signIn"> = {
    signIn: async ({ email: given, password, code, address, userAgent }) => {
      const { identity } = this.#deps;
      const email = given.trim().toLowerCase();
      const proven = await this.prove({ email, password, code, address });
      const [membership] = proven.memberships;
      if (!membership) throw await this.#refused({ email, address }, proven);
      const { tenantId } = membership;
      const { user } = proven;
      const { sessionToken, changes } = this.newSession(user, tenantId, address, userAgent);
      const result = await identity.committer.commit([this.useCode(proven), ...changes], null);
      // Somebody used the same code at the same moment.
      if (result !== "committed") throw await this.#refused({ email, address }, proven);
      return { sessionToken };
    },
  };

  /** The account, if it is theirs. Errors: sign_in_refused, one for all reasons; too_many_attempts. */
  async prove({ email, password, code, address }: Credentials): Promise<Proven> {
    const { identity, attempts, sealer, clock } = this.#deps;
    await attempts.begin({ account: email, address });
    const account = await findAccount(identity, { email });
    const isTheirs = await isPassword(password, account?.user.passwordHash);
    const sealed = account?.user.totpSealed ?? (await this.#nobodysSecret);
    const secret = await sealer.open(sealed, account ? email : NOBODY);
    const step = totpStep(secret, code, clock.nowMs());
    const isNew = step !== undefined && account !== undefined && step > account.user.totpStep;
    if (!isTheirs || !isNew) throw await this.#refused({ email, address }, account);
    await attempts.succeed({ account: email, address });
    return { ...account, step };
  }

  /** Uses the code up: of two who show the same one, the second finds it used. */
  useCode({ user, step }: Proven): Change {
    return update(User, { id: user.id, totpStep: user.totpStep }, { totpStep: step });
  }

  /** A session of a member in a tenant: its token, and what to write. */
  newSession(
    { id: userId, email }: Pick<UserRow, "id" | "email">,
    tenantId: string,
    address: string,
    userAgent: string,
  ): { readonly sessionToken: string; readonly session: Change; readonly changes: readonly Change[] } {
    const sessionToken = newToken();
    const id = newId("ses");
    const now = wholeSecond(this.#deps.clock);
    describeChange({ actorKind: "user", actorId: userId, actorName: email, tenantId, address, objectId: id });
    const session = insert(Session, {
      tokenHash: hashToken(sessionToken),
      id,
      userId,
      tenantId,
      address,
      userAgent: userAgent.slice(0, USER_AGENT_CHARACTERS_MAX).toWellFormed(),
      createdAt: now,
      lastSeenAt: now,
      expiresAt: secondsAfter(now, LIFE_SECONDS),
    });
    const seen = update(Membership, { tenantId, userId }, { lastSignedInAt: now });
    return { sessionToken, session, changes: [session, seen] };
  }

  /** Tells each tenant of a known person, and gives the one answer that all get. */
  async #refused(
    { email, address }: { readonly email: string; readonly address: string },
    account: Account | undefined,
  ): Promise<PaylinkError> {
    const entries = (account?.memberships ?? []).flatMap(({ tenantId }) => {
      const row = auditRowOf({
        tenantId,
        action: "SignInRefused",
        actorKind: "user",
        actorId: account?.user.id ?? "",
        actorName: email,
        objectId: account?.user.id,
        address,
        details: () => ({ email }),
      });
      return row ? [row] : [];
    });
    // Written for nobody too, so that it takes about as long.
    await this.#deps.identity.committer.commit([insertAll(AuditEntry, entries)], null);
    return new PaylinkError("sign_in_refused", "Address, password or code are not right.");
  }
}
