import { hash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import { newId } from "../../contract/ids.ts";
import type {
  AdmitCallbackRequest,
  ProvidersService,
  TakeCallbackRequest,
} from "../../gen/paylink/providers/v1/providers_pb.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { Call, Operation } from "../platform/rpc/call.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { insert, type Change } from "../platform/write/change.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { JsonCounter } from "../platform/text/json-counter.ts";
import { DueWork } from "../platform/work/due-work.ts";
import type { CallbackReference } from "../providers/ports.ts";
import { isOutage, ProviderFault } from "../providers/provider-fault.ts";
import {
  dueCallbacks,
  endCallback,
  hasStoredSince,
  isAwaited,
  knownCallback,
  findNamed,
  type DueCallback,
} from "./callback-records.ts";
import { Authorities } from "../providers/authorities.ts";
import { registrationOf } from "../providers/registry.ts";
import { isProven } from "./callback-proof.ts";
import { callbackRoute, openConfig, type AccountCharges, type AccountsDeps } from "./deps.ts";
import { ProviderCallback, type AccountRow } from "./entities.ts";
import type { Connected, LiveProviders } from "./live-providers.ts";
import { findByRoute, listSweeps } from "./repository.ts";

type Rpcs = Pick<ServiceImpl<typeof ProvidersService>, "admitCallback" | "takeCallback">;

// The checks of open charges and the sweeps find what is left.
const ATTEMPTS_MAX = 8;
// The checks do not ask about a card that was paid, and not all of its providers have a statement.
const CARD_DAYS_MAX = 30;
const CONCURRENCY = { ofAccount: 2 };
// A bank sends the news of one payment, or of a few. What is beyond is left to the same checks and sweeps.
const REFERENCES_MAX = 200;
const OPEN_MAX = 1000;
// 256 KiB of a bank's news have some 14,000. A body of more is kept, and refers to nothing.
const ELEMENTS_MAX = 20_000;
// Far more than the worker can ask a bank about.
const STORED_MAX = 1200;
const STORED_SECONDS = 60;
const DAY_MS = 86_400_000;

/** The RPCs that take callbacks. They only store what these refer to. */
export function callbackRpcs(deps: AccountsDeps, live: LiveProviders): Rpcs {
  const { operations, clock } = deps;
  const judge = new ProofJudge(deps);
  const findOwner = async ({ secret }: Pick<TakeCallbackRequest, "secret">) => {
    const owner = await deps.ownerOf(callbackRoute(secret));
    if (!owner) throw callbackNotFound();
    return owner;
  };
  return {
    admitCallback: operations.run<AdmitCallbackRequest, object>(async (request, operation) => {
      const { id } = await judge.provenAccount(operation, request);
      await requireRate(deps, operation, id);
      return {};
    }, findOwner),
    takeCallback: operations.write<TakeCallbackRequest, object>({
      findOwner,
      decide: async (request, operation) => {
        const { tenantId, environment } = operation;
        const row = await judge.provenAccount({ tenantId, environment }, request);
        const { body } = request;
        const now = new Date(clock.nowMs());
        const bodyHash = hash("sha256", body);
        const { id: accountId } = row;
        const known = await knownCallback(environment, { tenantId, accountId, bodyHash }, OPEN_MAX);
        if (known?.isKnown) return { response: {}, changes: [] };
        // The bank repeats it.
        if (known?.isFull) throw new PaylinkError("service_unavailable", "Too many callbacks wait.");
        await requireRate(deps, { tenantId, environment }, accountId);
        const connected = await live.connect(row);
        await requireSigned(connected, row, request);
        const { provider } = connected;
        const found = provider.readCallback(readableText(body));
        const references = new Set(found.map(nameIn));
        const refersTo = [...references].slice(0, REFERENCES_MAX);
        const chargeIds = refersTo.length === 1 ? found.flatMap(({ chargeId }) => chargeId ?? []) : [];
        const isNews = !(await isAwaited(environment, { tenantId, accountId }, { refersTo, chargeIds }));
        const asked = isNews
          ? { refersTo, chargeIds, dueAt: now }
          : { refersTo: [], chargeIds: [], dueAt: null };
        const held: Change[] = [];
        for (const { block } of found) {
          if (block) held.push(...(await deps.noteBlock(operation, accountId, block)));
        }
        const unread = { ...asked, attemptCount: 0, unknownCount: null, createdAt: now };
        return {
          response: {},
          changes: [insert(ProviderCallback, { tenantId, accountId, bodyHash, ...unread }), ...held],
          audit: { objectId: accountId },
        };
      },
    }),
  };
}

/** Returns by what the charge of a reference is found: empty, it is not. */
function nameIn({ reference, providerPaymentId, isOfKnownMoney }: CallbackReference): string {
  return reference ?? (isOfKnownMoney === true ? providerPaymentId : null) ?? "";
}

/** Returns a body's text, or none if it has so many elements that reading them would hold up others. */
function readableText(body: Uint8Array): string {
  const isReadable = new JsonCounter().add(body, ELEMENTS_MAX) <= ELEMENTS_MAX;
  return isReadable ? Buffer.from(body).toString("utf8") : "";
}

type Owner = Pick<Operation, "tenantId" | "environment">;

/** Bounds what an account stores in a minute, in all processes. Error: service_unavailable; the bank repeats it. */
async function requireRate(
  { clock }: AccountsDeps,
  { tenantId, environment }: Owner,
  accountId: string,
): Promise<void> {
  const since = secondsAfter(new Date(clock.nowMs()), -STORED_SECONDS);
  if (await hasStoredSince(environment, { tenantId, accountId }, since, STORED_MAX)) {
    throw new PaylinkError("service_unavailable", "Too many callbacks came within a minute.");
  }
}

/** Errors: callback_refused without a right signature of the body; service_unavailable if its keys cannot be read. */
async function requireSigned(
  connected: Connected,
  { profile }: AccountRow,
  request: TakeCallbackRequest,
): Promise<void> {
  const signature = headerOf(profile, request) ?? request.signature ?? "";
  const isSigned = await connected.isSigned?.(signature, request.body).catch((error: unknown) => {
    if (!(error instanceof ProviderFault)) throw error;
    throw new PaylinkError("service_unavailable", "The keys of the provider's signatures cannot be read.");
  });
  if (isSigned === false) throw callbackRefused();
}

/** Returns the header with the proof of a provider's callback, or undefined if the callback has no such header. */
function headerOf(profile: string, { headers }: Pick<TakeCallbackRequest, "headers">): string | undefined {
  const { callbackHeader } = registrationOf(profile);
  return callbackHeader === undefined ? undefined : headers[callbackHeader];
}

/** Judges the proofs of callbacks. */
class ProofJudge {
  readonly #deps: AccountsDeps;
  readonly #authorities = new Authorities();

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the account of a callback's address. One that was retired and is not swept any more has none. Errors:
   * callback_not_found, callback_refused.
   */
  async provenAccount(
    { tenantId, environment }: Owner,
    request: AdmitCallbackRequest | TakeCallbackRequest,
  ): Promise<AccountRow> {
    const { secret, hmac, certificates } = request;
    const { encryption, clock } = this.#deps;
    const row = await findByRoute(environment, tenantId, callbackRoute(secret));
    if (!row) throw callbackNotFound();
    if (row.state === "retired" && (await listSweeps(environment, tenantId, row.id)).length === 0)
      throw callbackNotFound();
    const { callback } = await openConfig(encryption, row);
    const authorities = callback.kind === "mtls" ? this.#authorities.of(row, callback.ca) : [];
    const header = headerOf(row.profile, request);
    const shown = {
      hmac,
      certificates,
      token: header ?? request.token,
      signature: header ?? request.signature,
      authorization: request.headers["authorization"],
    };
    if (!isProven(callback, shown, authorities, new Date(clock.nowMs()))) throw callbackRefused();
    return row;
  }
}

/** Asks providers about the callbacks that were stored. */
export class CallbackInbox {
  readonly #deps: AccountsDeps;
  readonly #charges: AccountCharges;
  readonly #work: Readonly<Record<Mode, DueWork<DueCallback>>>;

  constructor(deps: AccountsDeps, charges: AccountCharges) {
    this.#deps = deps;
    this.#charges = charges;
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
  }

  /** Returns the number of callbacks that were taken up. Throws the faults of those that ended. */
  async answerDue(mode: Mode): Promise<number> {
    return await this.#work[mode].round();
  }

  #workOf(mode: Mode): DueWork<DueCallback> {
    const { environments, clock, log } = this.#deps;
    return new DueWork({
      clock,
      rows: dueCallbacks(environments[mode], clock),
      concurrency: CONCURRENCY,
      run: async (callback) => await this.#answer(mode, callback),
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "a callback could not be followed"),
      failure: "callbacks could not be followed",
    });
  }

  async #answer(mode: Mode, callback: DueCallback): Promise<void> {
    const environment = this.#deps.environments[mode];
    const { tenantId, accountId } = callback;
    const call = backgroundCall(tenantId, mode);
    try {
      const { refersTo, chargeIds: callbackIds } = await findNamed(environment, callback);
      const named = await this.#charges.referencesOf(call, accountId, refersTo);
      const others = refersTo.filter((name) => name !== "" && !named.includes(name));
      const ofMoney =
        others.length === 0 ? [] : await this.#charges.referencesOfMoney(call, accountId, others);
      const ours = [...new Set([...named, ...ofMoney])];
      // A charge that a sweep left for later has no id either.
      const asking = { callbackIds, isOfMoney: callbackIds.length === 0 };
      for (const reference of ours) await this.#charges.refreshCharge(call, accountId, reference, asking);
      for (const reference of ofMoney) await this.#deps.closeBlocks(call, { reference });
      await endCallback(environment, callback, refersTo.length - ours.length);
    } catch (error) {
      if (this.#isGivenUp(callback)) await endCallback(environment, callback, null);
      else if (callback.attemptCount > ATTEMPTS_MAX) {
        this.#deps.log.error({ mode, account_id: accountId }, "a callback still waits for its provider");
      }
      throw error;
    }
  }

  #isGivenUp({ kind, attemptCount, createdAtMs }: DueCallback): boolean {
    if (kind === "pix") return attemptCount >= ATTEMPTS_MAX;
    return this.#deps.clock.nowMs() >= createdAtMs + CARD_DAYS_MAX * DAY_MS;
  }
}

/** Returns a call of the worker. */
export function backgroundCall(tenantId: string, mode: Mode): Call {
  return { tenantId, mode, requestId: newId("req"), idempotencyKey: undefined, audit: NO_ENTRY };
}

function callbackRefused(): PaylinkError {
  return new PaylinkError("callback_refused", "The callback does not prove where it comes from.");
}

function callbackNotFound(): PaylinkError {
  return new PaylinkError("callback_not_found", "There is nothing at this address.");
}
