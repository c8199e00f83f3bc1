import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { languageOr } from "../../contract/messages.ts";
import { resetMail } from "../mail/texts.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { writeDecided } from "../platform/write/decision.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import { User } from "./entities.ts";
import { forgetBrowsers } from "./known-browsers.ts";
import { totpStep } from "./one-time-password.ts";
import { checkNewPassword, hashPassword, requireHashRoom } from "./password.ts";
import { strangerAt } from "./attempt-owner.ts";
import { findAccount, findAccounts, findTenantsOf, hashesAmong, type Account } from "./repository.ts";
import { endResetsOf, endSessionsOf } from "./session-ends.ts";
import type { SignInDeps, SignIns } from "./sign-ins.ts";
import type { UsersDeps } from "./deps.ts";
import { hashToken, hexOf, newToken } from "./token.ts";

type Rpcs = Pick<
  ServiceImpl<typeof UsersService>,
  "getMailStanding" | "requestPasswordReset" | "getPasswordReset" | "resetPassword"
>;

const LIFE_SECONDS = 30 * 60;
/** An address has one account for each tenant that invited it: more links than these help no one. */
const ACCOUNTS_MAX = 5;

/** The RPCs of links to a new password that users ask for. The code of the authenticator is asked for as ever. */
export function passwordResetRpcs(deps: SignInDeps & { readonly signIns: SignIns }): Rpcs {
  const { identity, limiter, clock, encryption, mails } = deps;

  /** Returns the account of a link. Error: invitation_not_found. */
  async function accountOf(tokenHash: Uint8Array): Promise<Account> {
    const { rows } = await identity.pool.query<{ userId: string }>({
      name: "good password reset",
      text: `SELECT user_id AS "userId" FROM password_reset WHERE token_hash = $1 AND expires_at > $2`,
      values: [hexOf(tokenHash), wholeSecond(clock)],
    });
    const account = rows[0] && (await findAccount(identity, rows[0].userId));
    if (account && account.memberships.length > 0) return account;
    throw new PaylinkError("invitation_not_found", "This link is not good any more: ask for a new one.");
  }

  return {
    getMailStanding: () => ({ isSending: mails !== undefined }),
    requestPasswordReset: async ({ email: given, address, language }) => {
      const email = given.toLowerCase();
      await limiter.beginRequest({ account: email, address });
      // Whether there is an account is looked up later, by a worker: the answer takes the same time.
      if (mails) {
        await identity.pool.query({
          name: "request password reset",
          text: "INSERT INTO password_reset_request (email, language, created_at) VALUES ($1, $2, $3)",
          values: [email, language, wholeSecond(clock)],
        });
      }
      return {};
    },
    getPasswordReset: async ({ tokenHash }) => ({ email: (await accountOf(tokenHash)).user.email }),
    resetPassword: async (request, context) => {
      const { tokenHash, password, code, address, userAgent } = request;
      const { user: owner } = await accountOf(tokenHash);
      checkNewPassword(password, owner.email, "password");
      requireHashRoom(strangerAt(address));
      const turn = await limiter.beginReset(owner.id, address);
      const tokens = await writeDecided(identity.committer, auditOf(context), async () => {
        const { user, memberships } = await accountOf(tokenHash);
        const { id, email, passwordHash, totpSealed } = user;
        const step = totpStep(await encryption.decrypt(totpSealed, email), code, clock.nowMs());
        if (step === undefined || step <= user.totpStep) {
          throw new PaylinkError("code_refused", "The code is not right.", "code");
        }
        const others = (await findAccounts(identity, email)).filter((account) => account.user.id !== id);
        const changed = await hashPassword(password, strangerAt(address), hashesAmong(others));
        const tenantId = memberships[0]?.tenantId ?? "";
        const browserTokenHash = new Uint8Array();
        const started = deps.signIns.startSession({ user, tenantId, address, userAgent, browserTokenHash });
        return {
          response: started.tokens,
          audit: started.audit,
          changes: [
            forgetBrowsers(id),
            endResetsOf(id, wholeSecond(clock)),
            // Of two requests with one link, the second is decided again, and refused.
            update(
              User,
              { id, passwordHash, totpStep: user.totpStep },
              { passwordHash: changed, totpStep: step },
            ),
            ...started.changes,
            endSessionsOf(id, hashToken(started.tokens.sessionToken)),
          ],
        };
      });
      await limiter.succeed(turn);
      return tokens;
    },
  };
}

/** Makes the links that were asked for, and writes their e-mails. A request is answered once, even after a crash. */
export async function answerResetRequests(deps: UsersDeps): Promise<void> {
  const { identity, clock, mails, consoleUrl } = deps;
  if (!mails) return;
  for (let isDue = true; isDue;) {
    isDue = await inTransaction(identity.pool, async (client) => {
      const { rows } = await client.query<{ email: string; language: string; createdAt: number }>({
        name: "take password reset request",
        text: `DELETE FROM password_reset_request WHERE id =
            (SELECT id FROM password_reset_request ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
          RETURNING email, language, floor(extract(epoch from created_at))::int4 AS "createdAt"`,
      });
      const [request] = rows;
      if (!request) return false;
      const expiresAt = new Date((request.createdAt + LIFE_SECONDS) * 1000);
      if (expiresAt <= wholeSecond(clock)) return true;
      for (const { user } of (await findAccounts(identity, request.email)).slice(-ACCOUNTS_MAX)) {
        const tenants = await findTenantsOf(identity, user.id);
        const [first] = tenants;
        if (!first) continue;
        const token = newToken();
        await client.query({
          name: "write password reset",
          text: "INSERT INTO password_reset (token_hash, user_id, expires_at) VALUES ($1, $2, $3)",
          values: [hashToken(token), user.id, expiresAt],
        });
        const content = resetMail({
          to: user.email,
          language: languageOr(user.language ?? request.language),
          url: `${consoleUrl}/reset/${token}`,
          expiresAt,
          tenantNames: tenants.map(({ tenantName }) => tenantName),
        });
        const { tenantId } = first;
        await mails.outbox.write(client, { content, lifeSeconds: LIFE_SECONDS, tenantId, isFirst: true });
      }
      return true;
    });
  }
}
