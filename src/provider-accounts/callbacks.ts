import { hash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import { newId } from "../../contract/ids.ts";
import type { ProvidersService, TakeCallbackRequest } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import type { Call } from "../platform/call.ts";
import type { Mode } from "../platform/caller.ts";
import { insert } from "../platform/change.ts";
import { PaylinkError } from "../platform/errors.ts";
import { WorkByAccount } from "../platform/work-by-account.ts";
import { isOutage } from "../providers/provider-fault.ts";
import { isProven } from "./callback-proof.ts";
import { callbackRoute, openConfig, type AccountCharges, type AccountsDeps } from "./deps.ts";
import { ProviderCallback } from "./entities.ts";
import type { LiveProviders } from "./live-providers.ts";
import {
  endCallback,
  findByRoute,
  findDueCallbacks,
  hasCallback,
  takeDueCallbacks,
  type DueCallback,
} from "./repository.ts";

type Rpcs = Pick<ServiceImpl<typeof ProvidersService>, "takeCallback">;

// The checks of open charges and the sweeps find what is left.
const ATTEMPTS_MAX = 8;
const PLACES = 2;

/** The RPC that takes callbacks. It only stores what they refer to. */
export function callbackRpcs(deps: AccountsDeps, live: LiveProviders): Rpcs {
  const { operations, encryption, clock } = deps;
  return {
    takeCallback: operations.write<TakeCallbackRequest, object>({
      findOwner: async ({ secret }) => {
        const owner = await deps.ownerOf(callbackRoute(secret));
        if (!owner) throw callbackNotFound();
        return owner;
      },
      decide: async ({ secret, hmac, certificates, body }, { tenantId, environment }) => {
        const row = await findByRoute(environment, tenantId, callbackRoute(secret));
        if (!row) throw callbackNotFound();
        const { callback } = await openConfig(encryption, row);
        const now = new Date(clock.nowMs());
        if (!isProven(callback, { hmac, certificates }, now)) {
          throw new PaylinkError("callback_refused", "The callback does not prove where it comes from.");
        }
        const bodyHash = hash("sha256", body);
        const { id: accountId } = row;
        if (await hasCallback(environment, { tenantId, accountId, bodyHash }))
          return { response: {}, changes: [] };
        const { provider } = await live.connect(row);
        const found = provider.readCallback(Buffer.from(body).toString("utf8"));
        const refersTo = [...new Set(found.map(({ reference }) => reference ?? ""))];
        const unread = { attemptCount: 0, unknownCount: null, dueAt: now, createdAt: now };
        return {
          response: {},
          changes: [insert(ProviderCallback, { tenantId, accountId, bodyHash, refersTo, ...unread })],
          audit: { objectId: accountId },
        };
      },
    }),
  };
}

/** Asks providers about the callbacks that were stored. */
export class CallbackInbox {
  readonly #deps: AccountsDeps;
  readonly #charges: AccountCharges;
  readonly #work: Readonly<Record<Mode, WorkByAccount<DueCallback>>>;

  constructor(deps: AccountsDeps, charges: AccountCharges) {
    this.#deps = deps;
    this.#charges = charges;
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
  }

  /** Returns the number of callbacks that were taken up. Throws the faults of those that ended. */
  async answerDue(mode: Mode): Promise<number> {
    return await this.#work[mode].round();
  }

  #workOf(mode: Mode): WorkByAccount<DueCallback> {
    const { environments, clock, log } = this.#deps;
    const now = (): Date => new Date(clock.nowMs());
    return new WorkByAccount({
      clock,
      places: PLACES,
      find: async (limit, except) => await findDueCallbacks(environments[mode], now(), limit, except),
      take: async (tenantId, due) => await takeDueCallbacks(environments[mode], now(), tenantId, due),
      idOf: ({ accountId, bodyHash }) => `${accountId} ${bodyHash}`,
      run: async (callback) => await this.#answer(mode, callback),
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "a callback could not be followed"),
      failure: "callbacks could not be followed",
    });
  }

  async #answer(mode: Mode, callback: DueCallback): Promise<void> {
    const environment = this.#deps.environments[mode];
    const { tenantId, accountId, refersTo, attemptCount } = callback;
    const call = backgroundCall(tenantId, mode);
    let unknownCount = 0;
    try {
      for (const reference of refersTo) {
        const isOurs = reference !== "" && (await this.#charges.refresh(call, accountId, reference));
        if (!isOurs) unknownCount++;
      }
    } catch (error) {
      if (attemptCount >= ATTEMPTS_MAX) await endCallback(environment, callback, null);
      throw error;
    }
    await endCallback(environment, callback, unknownCount);
  }
}

/** Returns a call of the worker. */
export function backgroundCall(tenantId: string, mode: Mode): Call {
  return { tenantId, mode, requestId: newId("req"), idempotencyKey: undefined, audit: NO_ENTRY };
}

function callbackNotFound(): PaylinkError {
  return new PaylinkError("callback_not_found", "There is nothing at this address.");
}
