import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { removeInBatches } from "../platform/retention.ts";
import type { Encryption } from "../platform/encryption.ts";
import { Acceptances } from "./acceptances.ts";
import { SignInLimiter } from "./sign-in-limiter.ts";
import { Invitations } from "./invitations.ts";
import { Members } from "./members.ts";
import { OwnAccount } from "./own-account.ts";
import { Sessions } from "./sessions.ts";
import { SignIns } from "./sign-ins.ts";

export interface UsersDeps {
  readonly identity: Environment;
  readonly clock: Clock;
  readonly encryption: Encryption;
}

/** The users room: accounts, memberships and sign-ins. */
export class Users {
  readonly #deps: UsersDeps;
  readonly #limiter: SignInLimiter;
  readonly rpcs: ServiceImpl<typeof UsersService>;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
    this.#limiter = new SignInLimiter(deps.identity.pool, deps.clock);
    const sessions = new Sessions(deps);
    const signIns = new SignIns({ ...deps, limiter: this.#limiter });
    this.rpcs = {
      ...sessions.rpcs,
      ...signIns.rpcs,
      ...new OwnAccount({ ...deps, limiter: this.#limiter, sessions }).rpcs,
      ...new Invitations(deps).rpcs,
      ...new Acceptances({ ...deps, signIns }).rpcs,
      ...new Members(deps).rpcs,
    };
  }

  /** Removes expired sessions, known browsers and attempts. */
  async removePast(): Promise<void> {
    const { clock } = this.#deps;
    const { pool } = this.#deps.identity;
    const now = wholeSecond(clock);
    await removeInBatches(pool, "session", ["token_hash"], "expires_at", now);
    await removeInBatches(pool, "known_browser", ["user_id", "token_hash"], "expires_at", now);
    await this.#limiter.removePast();
  }
}
