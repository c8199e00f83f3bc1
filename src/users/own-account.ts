import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { ChangePasswordRequest, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { forgetBrowsers } from "./known-browsers.ts";
import { ownRequestSemaphore, userOwner } from "./attempt-owner.ts";
import { checkNewPassword, hashPassword, isPassword, requireHashRoom } from "./password.ts";
import { User, type UserRow } from "./entities.ts";
import { findAccount, findAccounts, hashesAmong } from "./repository.ts";
import { endResetsOf, endSessionsOf } from "./session-ends.ts";
import type { GoodSession } from "./session-repository.ts";
import { entryOf, sessionOf } from "./sessions.ts";
import type { SignInDeps } from "./sign-ins.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "confirmPassword" | "changePassword">;

/** The RPCs for signed-in users' own passwords. */
export function ownAccountRpcs(deps: SignInDeps): Rpcs {
  const requests = ownRequestSemaphore();

  /** Returns the session's user if the password is right. Errors: password_refused, too_many_attempts. */
  async function confirm(session: GoodSession, password: string): Promise<UserRow> {
    const { identity, limiter } = deps;
    const owner = userOwner(session.userId);
    requireHashRoom(owner);
    const turn = await limiter.beginOwn(session.userId, owner);
    const compare = async () => {
      const account = await findAccount(identity, session.userId);
      const isRight = account && (await isPassword(password, account.user.passwordHash, owner));
      return isRight ? account.user : undefined;
    };
    const user = await compare().catch(async (error: unknown) => {
      // Nothing was compared: it is no failure of the user.
      await limiter.succeed(turn);
      throw error;
    });
    if (!user) throw refused();
    await limiter.succeed(turn);
    return user;
  }

  async function change(
    session: GoodSession,
    { password, newPassword }: ChangePasswordRequest,
    context: HandlerContext,
  ): Promise<void> {
    const { id, email, passwordHash } = await confirm(session, password);
    const { identity, clock } = deps;
    const others = (await findAccounts(identity, email)).filter(({ user }) => user.id !== id);
    const changed = await hashPassword(newPassword, userOwner(session.userId), hashesAmong(others));
    const result = await identity.committer.commit(
      [
        update(User, { id, passwordHash }, { passwordHash: changed }),
        endSessionsOf(id, session.tokenHash),
        forgetBrowsers(id),
        endResetsOf(id, wholeSecond(clock)),
      ],
      entryOf(auditOf(context), session, id),
    );
    // A concurrent request has changed it: the given password is no longer valid.
    if (result !== "committed") throw refused();
  }

  return {
    confirmPassword: async ({ tokenHash, password }) => {
      const session = await sessionOf(deps, tokenHash);
      await requests.run(session.userId, async () => await confirm(session, password));
      return {};
    },
    changePassword: async (request, context) => {
      const session = await sessionOf(deps, request.tokenHash);
      checkNewPassword(request.newPassword, session.email, "new_password");
      await requests.run(session.userId, async () => await change(session, request, context));
      return {};
    },
  };
}

function refused(): PaylinkError {
  return new PaylinkError("password_refused", "The password is not right.", "password");
}
