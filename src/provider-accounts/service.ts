import type { ServiceImpl } from "@connectrpc/connect";
import type { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { accountRpcs } from "./accounts.ts";
import { CallbackQueues } from "./callback-queues.ts";
import { CallbackInbox, callbackRpcs } from "./callbacks.ts";
import type { AccountCharges, AccountsDeps } from "./deps.ts";
import type { LiveProviders } from "./live-providers.ts";
import { removePast } from "./retention.ts";
import { findStanding, type ProviderStanding } from "./standing.ts";
import { sweepRpcs } from "./sweep-rpcs.ts";
import { Sweeps } from "./sweeps.ts";
import { unknownMoneyRpcs } from "./unknown-money-rpcs.ts";
import { verifyRpcs } from "./verify.ts";

/** The room of provider accounts: its RPCs and background tasks. */
export class ProviderAccounts {
  readonly #deps: AccountsDeps;
  readonly #inbox: CallbackInbox;
  readonly #queues: CallbackQueues;
  readonly #sweeps: Sweeps;
  readonly rpcs: ServiceImpl<typeof ProvidersService>;

  constructor(deps: AccountsDeps, live: LiveProviders, charges: AccountCharges) {
    this.#deps = deps;
    this.#inbox = new CallbackInbox(deps, charges);
    this.#queues = new CallbackQueues(deps, live);
    this.#sweeps = new Sweeps(deps, live, charges);
    this.rpcs = {
      ...accountRpcs(deps),
      ...verifyRpcs(deps, live),
      ...callbackRpcs(deps, live),
      ...sweepRpcs(deps, this.#sweeps),
      ...unknownMoneyRpcs(deps),
    };
  }

  /** Asks providers about the callbacks that came. Returns the number of callbacks. */
  async answerCallbacks(mode: Mode): Promise<number> {
    return await this.#inbox.answerDue(mode);
  }

  /** Asks providers whether they still call back, where that is due. Returns the number of accounts. */
  async checkQueues(mode: Mode): Promise<number> {
    return await this.#queues.checkDue(mode);
  }

  /** Reads the statements that are due. Returns their number. */
  async sweepDue(mode: Mode): Promise<number> {
    return await this.#sweeps.runDue(mode);
  }

  /** Removes what nothing needs any more. Returns the number of removed callbacks and cursors. */
  async removePast(mode: Mode): Promise<number> {
    const { environments, clock } = this.#deps;
    return await removePast(environments[mode], new Date(clock.nowMs()));
  }

  /** Returns what is known of all accounts. */
  async standing(mode: Mode): Promise<ProviderStanding> {
    const { environments, clock } = this.#deps;
    return await findStanding(environments[mode], new Date(clock.nowMs()));
  }
}
