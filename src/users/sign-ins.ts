import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { AuditEntry, type AuditContent, type CallAudit } from "../platform/rpc/audit-entry.ts";
import { auditOf, NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { insert, insertAll, update, type Change } from "../platform/write/change.ts";
import { secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import type { SignInLimiter, Turn } from "./sign-in-limiter.ts";
import { findKnowing, rememberBrowser } from "./known-browsers.ts";
import { newTotpSecret, totpStep } from "./one-time-password.ts";
import { hashesOf, requireHashRoom } from "./password.ts";
import { knownAt, strangerAt } from "./attempt-owner.ts";
import { Membership, Session, User, type UserRow } from "./entities.ts";
import { findAccounts, hashesAmong, type Account } from "./repository.ts";
import type { UsersDeps } from "./deps.ts";
import { LIFE_SECONDS } from "./session-repository.ts";
import { hashToken, hexOf, newToken } from "./token.ts";

export interface SignInDeps extends UsersDeps {
  readonly limiter: SignInLimiter;
}

/** The credentials of a user, with the network address and browser of the attempt. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly code: string;
  readonly address: string;
  /** SHA-256 of the browser's token; empty if it has none. */
  readonly browserTokenHash: Uint8Array;
}

/** A proven account, the time step of its code, and the attempt, which still counts as failed. */
export interface Proven extends Account {
  readonly step: number;
  readonly turn: Turn;
}

/** The user, tenant and browser of a new session. */
export interface NewSession {
  readonly user: Pick<UserRow, "id" | "email">;
  readonly tenantId: string;
  readonly address: string;
  readonly userAgent: string;
  readonly browserTokenHash: Uint8Array;
}

const USER_AGENT_CHARACTERS_MAX = 200;
const NO_USER = "nobody";
const RECORD_ALL_MAX = 10;

/** Proves users, and makes their sessions. */
export class SignIns {
  readonly #deps: SignInDeps;
  // An unknown user's code is checked against this secret, so that it takes as long as for a known one.
  readonly #decoySecret: Promise<string>;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    this.#decoySecret = deps.encryption.encrypt(newTotpSecret(), NO_USER);
  }

  /**
   * Returns the account of the address with this password and code. The attempt counts as failed until `succeed`.
   * Errors: sign_in_refused, the same for all reasons; too_many_attempts.
   */
  async prove(credentials: Credentials, audit: CallAudit | undefined): Promise<Proven> {
    const { identity, limiter, clock } = this.#deps;
    const { email, password, address, browserTokenHash } = credentials;
    const browser = hexOf(browserTokenHash);
    const knowing = await findKnowing(identity, browser, email, wholeSecond(clock));
    const owner = knowing.size > 0 ? knownAt(address) : strangerAt(address);
    requireHashRoom(owner);
    const turn = await limiter.begin({
      account: email,
      address,
      browser: knowing.size > 0 ? browser : undefined,
    });
    const compare = async () => {
      // An attempt that must wait is refused before: it costs nothing that grows with the accounts.
      const accounts = await findAccounts(identity, email);
      // A browser that one account knows must not bypass the waits of another.
      const tried = turn.isOfBrowser ? accounts.filter(({ user }) => knowing.has(user.id)) : accounts;
      const hashes = await hashesOf(password, hashesAmong(tried), owner);
      return { accounts, theirs: tried.filter(({ user }) => hashes.has(user.passwordHash)) };
    };
    const { accounts, theirs } = await compare().catch(async (error: unknown) => {
      // Nothing was compared: it is no failure of the user.
      await limiter.succeed(turn);
      throw error;
    });
    const proven = await this.#withCode(credentials, theirs);
    if (!proven) throw await this.refused(credentials, audit, turn, theirs.length > 0 ? theirs : accounts);
    return { ...proven, turn };
  }

  /** Takes back the counted attempt. */
  async succeed({ turn }: Proven): Promise<void> {
    await this.#deps.limiter.succeed(turn);
  }

  /** Returns the account for which the code is new and right, or undefined if there is none. */
  async #withCode({ email, code }: Credentials, accounts: readonly Account[]) {
    const { encryption, clock } = this.#deps;
    const nowMs = clock.nowMs();
    // Without an account, this takes as long as with one.
    if (accounts.length === 0)
      totpStep(await encryption.decrypt(await this.#decoySecret, NO_USER), code, nowMs);
    for (const account of accounts) {
      const step = totpStep(await encryption.decrypt(account.user.totpSealed, email), code, nowMs);
      if (step !== undefined && step > account.user.totpStep) return { ...account, step };
    }
    return undefined;
  }

  /**
   * Uses up the code: of two requests with the same code, the second fails, and so does one whose password was changed since
   * it was compared. Notes the language, if there is one.
   */
  useCode({ user: { id, totpStep: usedStep, passwordHash }, step }: Proven, language: string): Change {
    const set = { totpStep: step, ...(language === "" ? {} : { language }) };
    return update(User, { id, totpStep: usedStep, passwordHash }, set);
  }

  /**
   * Returns the tokens of a new session in a tenant, the changes that write it, and what its audit entry says. Its
   * browser is known from then on.
   */
  startSession({ user, tenantId, address, userAgent, browserTokenHash }: NewSession): {
    readonly tokens: { readonly sessionToken: string; readonly browserToken: string };
    readonly session: readonly Change[];
    readonly changes: readonly Change[];
    readonly audit: AuditContent;
  } {
    const { id: userId, email } = user;
    const [sessionToken, browserToken] = [newToken(), newToken()];
    const id = newId("ses");
    const now = wholeSecond(this.#deps.clock);
    const started = insert(Session, {
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
    const known = rememberBrowser(userId, hexOf(browserTokenHash), hashToken(browserToken), now);
    const session = [started, known];
    const audit = { user: { id: userId, email, address }, tenantId, objectId: id };
    return { tokens: { sessionToken, browserToken }, session, changes: [...session, seen], audit };
  }

  /** Writes an audit entry for each tenant of the accounts, and returns the same error for all reasons. */
  async refused(
    { email, address }: Credentials,
    audit: CallAudit | undefined,
    { failures }: Turn,
    accounts: readonly Account[],
  ): Promise<PaylinkError> {
    // With several accounts, the intended one is unknown: the tenants of one must not learn the address of another's
    // user.
    const shownAddress = accounts.length === 1 ? address : "";
    const entries = accounts.flatMap(({ user, memberships }) =>
      memberships.flatMap(({ tenantId }) => {
        const row = audit?.entry({
          tenantId,
          action: "SignInRefused",
          user: { id: user.id, email, address: shownAddress },
          objectId: user.id,
          details: { email, attempts: failures },
          isApart: true,
        });
        return row && isRecorded(failures) ? [row] : [];
      }),
    );
    // The commit also runs without entries, so that both cases take about equally long.
    await this.#deps.identity.committer.commit([insertAll(AuditEntry, entries)], NO_ENTRY);
    return new PaylinkError("sign_in_refused", "Address, password or code are not right.");
  }
}

/** The RPC with which users sign in. */
export function signInRpcs({
  identity,
  signIns,
}: Pick<UsersDeps, "identity"> & { readonly signIns: SignIns }): Pick<
  ServiceImpl<typeof UsersService>,
  "signIn"
> {
  return {
    signIn: async (request, context) => {
      const audit = auditOf(context);
      const credentials = { ...request, email: request.email.trim().toLowerCase() };
      const proven = await signIns.prove(credentials, audit);
      const { user, turn } = proven;
      const [membership] = proven.memberships;
      if (!membership) throw await signIns.refused(credentials, audit, turn, [proven]);
      const { tenantId } = membership;
      const started = signIns.startSession({ ...credentials, user, tenantId });
      const changes = [signIns.useCode(proven, request.language), ...started.changes];
      const result = await identity.committer.commit(changes, audit?.entry(started.audit));
      // A concurrent request has used the same code.
      if (result !== "committed") throw await signIns.refused(credentials, audit, turn, [proven]);
      await signIns.succeed(proven);
      return started.tokens;
    },
  };
}

/**
 * Returns true for the first ten failures of a day, and for fewer and fewer after that, so that strangers cannot fill a
 * trail that is never deleted.
 */
function isRecorded(failures: number): boolean {
  return failures <= RECORD_ALL_MAX || Number.isInteger(Math.log2(failures));
}
