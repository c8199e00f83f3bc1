import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { removeByTenant, removeInBatches } from "../platform/work/retention.ts";
import { semaphoreOf } from "../platform/limits/semaphores.ts";
import type { UsersDeps } from "./deps.ts";
import type { RoleName } from "./entities.ts";
import { findRole } from "./repository.ts";
import { removeAccountsWithoutTenant } from "./account-ends.ts";
import { acceptanceRpcs } from "./acceptances.ts";
import { SignInLimiter } from "./sign-in-limiter.ts";
import { invitationRpcs } from "./invitations.ts";
import { memberRpcs } from "./members.ts";
import { writeDigests } from "./digests.ts";
import type { LiveOf } from "./live-needs.ts";
import { ownAccountRpcs } from "./own-account.ts";
import { ownDigestRpcs } from "./own-digest.ts";
import { ownPaymentMailRpcs } from "./own-payment-mails.ts";
import { writePaymentMails } from "./payment-mails.ts";
import { answerResetRequests, passwordResetRpcs } from "./password-resets.ts";
import { savedViewRpcs } from "./saved-views.ts";
import { sessionRpcs } from "./sessions.ts";
import { signInRpcs, SignIns } from "./sign-ins.ts";

// Each takes milliseconds: a company's invitations may be made all at once.
const CHANGES = { total: 4, perKey: 1, waitingPerKey: 256, waitingTotal: 4096 };

/** The users room: accounts, memberships and sign-ins. */
export class Users {
  readonly #deps: UsersDeps;
  readonly #limiter: SignInLimiter;
  readonly rpcs: ServiceImpl<typeof UsersService>;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
    this.#limiter = new SignInLimiter(deps.identity.pool, deps.clock);
    const signIns = new SignIns({ ...deps, limiter: this.#limiter });
    const tenants = semaphoreOf(CHANGES);
    this.rpcs = {
      ...sessionRpcs(deps),
      ...signInRpcs({ ...deps, signIns }),
      ...ownAccountRpcs({ ...deps, limiter: this.#limiter }),
      ...invitationRpcs({ ...deps, limiter: this.#limiter, tenants }),
      ...acceptanceRpcs({ ...deps, signIns }),
      ...memberRpcs({ ...deps, tenants }),
      ...savedViewRpcs(deps),
      ...passwordResetRpcs({ ...deps, limiter: this.#limiter, signIns }),
      ...ownDigestRpcs(deps),
      ...ownPaymentMailRpcs(deps),
    };
  }

  /** Returns the role of a user in a tenant, or undefined if they are no member. */
  async roleOf(tenantId: string, userId: string): Promise<RoleName | undefined> {
    return await findRole(this.#deps.identity, tenantId, userId);
  }

  /** True: e-mail is sent. */
  get sendsMail(): boolean {
    return this.#deps.mails !== undefined;
  }

  /** Writes the e-mails with links to a new password that users asked for. */
  async answerResets(): Promise<void> {
    await answerResetRequests(this.#deps);
  }

  /** Sends the e-mails that are due with links that users asked for. */
  async sendAskedMail(): Promise<void> {
    await this.#deps.mails?.outbox.sendAsked();
  }

  /** Sends the other e-mails that are due. */
  async sendMail(): Promise<void> {
    await this.#deps.mails?.outbox.sendOthers();
  }

  /** Writes the e-mails of what needs a person that are due. */
  async writeDigests(liveOf: LiveOf): Promise<void> {
    const { mails } = this.#deps;
    if (mails) await writeDigests({ ...this.#deps, mails }, liveOf);
  }

  /** Writes the e-mails of payments that succeeded. */
  async writePaymentMails(): Promise<void> {
    const { mails, succeededOf } = this.#deps;
    if (mails) await writePaymentMails({ ...this.#deps, mails }, succeededOf);
  }

  /** Ends the sending of e-mails at once. */
  async endMail(): Promise<void> {
    await this.#deps.mails?.outbox.end();
  }

  /** Removes expired sessions, known browsers and attempts, ended one-time links, and accounts without a tenant. */
  async removePast(): Promise<void> {
    const { clock } = this.#deps;
    const { pool } = this.#deps.identity;
    const now = wholeSecond(clock);
    await removeInBatches(pool, "session", ["token_hash"], "expires_at", now);
    await removeInBatches(pool, "known_browser", ["user_id", "token_hash"], "expires_at", now);
    await removeInBatches(pool, "password_reset", ["token_hash"], "expires_at", now);
    await removeByTenant(pool, "invitation", ["id"], "least(ended_at, expires_at)", now);
    await removeAccountsWithoutTenant(this.#deps.identity);
    await this.#limiter.removePast();
  }
}
