import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { auditOf } from "../platform/audit-trail.ts";
import { update } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import { forgetBrowsers } from "./known-browsers.ts";
import { checkNewPassword, hashPassword, isPassword } from "./password.ts";
import { User, type UserRow } from "./entities.ts";
import { findAccount, findAccounts, hashesAmong } from "./repository.ts";
import { endResetsOf, endSessionsOf } from "./session-ends.ts";
import type { GoodSession } from "./session-repository.ts";
import { entryOf, sessionOf } from "./sessions.ts";
import type { SignInDeps } from "./sign-ins.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "confirmPassword" | "changePassword">;

/** The RPCs for signed-in users' own passwords. */
export function ownAccountRpcs(deps: SignInDeps): Rpcs {
  /** Returns the session's user if the password is right. Errors: password_refused, too_many_attempts. */
  async function confirm({ userId }: GoodSession, password: string): Promise<UserRow> {
    const { identity, limiter } = deps;
    const turn = await limiter.beginOwn(userId);
    const account = await findAccount(identity, userId);
    if (!account || !(await isPassword(password, account.user.passwordHash))) throw refused();
    await limiter.succeed(turn);
    return account.user;
  }

  return {
    confirmPassword: async ({ tokenHash, password }) => {
      await confirm(await sessionOf(deps, tokenHash), password);
      return {};
    },
    changePassword: async ({ tokenHash, password, newPassword }, context) => {
      const session = await sessionOf(deps, tokenHash);
      checkNewPassword(newPassword, session.email, "new_password");
      const { id, email, passwordHash } = await confirm(session, password);
      const { identity, clock } = deps;
      const others = (await findAccounts(identity, email)).filter(({ user }) => user.id !== id);
      const changed = await hashPassword(newPassword, hashesAmong(others));
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
      return {};
    },
  };
}

function refused(): PaylinkError {
  return new PaylinkError("password_refused", "The password is not right.", "password");
}
