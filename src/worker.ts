import type { Tracer } from "@opentelemetry/api";
import type { LookupFunction } from "node:net";
import type { Checkouts } from "./checkout/service.ts";
import type { LedgerChecks } from "./ledger/periodic-checks.ts";
import type { Ledger } from "./ledger/service.ts";
import type { Receivables } from "./receivables/service.ts";
import type { Reconciliation } from "./reconciliation/service.ts";
import type { Refunds } from "./refunds/service.ts";
import type { ProviderAccounts } from "./provider-accounts/service.ts";
import type { LiveOf } from "./users/live-needs.ts";
import type { Users } from "./users/service.ts";
import type { Links } from "./links/service.ts";
import { MODES, type Mode } from "./platform/rpc/caller.ts";
import type { RateFeed } from "./pricing/rate-feed.ts";
import type { Pricing } from "./pricing/service.ts";
import type { Clock } from "./platform/time/clock.ts";
import type { Environment } from "./platform/db/database.ts";
import type { FaultLog } from "./platform/rpc/error-interceptor.ts";
import type { CoreObserver } from "./platform/observe/observer.ts";
import { repeat, type Repeating } from "./platform/work/repeating.ts";
import { removePastKeys } from "./platform/work/retention.ts";
import type { Encryption } from "./platform/db/encryption.ts";
import { deliveryWork } from "./webhooks/delivery-work.ts";
import type { AddressPolicy } from "./platform/outside/outside-address.ts";
import { removeOldAttempts } from "./webhooks/retention.ts";
import { Sender } from "./webhooks/sender.ts";
import { watchedSender } from "./webhooks/watched-sender.ts";

/** The settings of deliveries. */
export interface DeliverySettings {
  /** Seconds before each attempt of a round. */
  readonly schedule: readonly number[];
  /** The maximum time of one attempt, from its start to the last byte of the response. */
  readonly timeoutMs: number;
  /** A delivery that was taken is another worker's after this time. */
  readonly leaseSeconds: number;
}

export interface WorkerDeps {
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly policies: Readonly<Record<Mode, AddressPolicy>>;
  readonly lookup: LookupFunction;
  readonly encryption: Encryption;
  readonly clock: Clock;
  readonly log: FaultLog;
  readonly ledger: Ledger;
  readonly checks: LedgerChecks;
  readonly links: Links;
  readonly users: Users;
  /** What is known of a tenant in live mode, for e-mails of what needs a person. */
  readonly liveOf: LiveOf;
  readonly checkouts: Checkouts;
  readonly pricing: Pick<Pricing, "removePast">;
  readonly refunds: Refunds;
  readonly receivables: Receivables;
  readonly reconciliation: Reconciliation;
  readonly providerAccounts: ProviderAccounts;
  readonly delivery: DeliverySettings;
  /** Fetches the live mode's rate. Undefined: it is published by hand. */
  readonly rateFeed: Pick<RateFeed, "round" | "end"> | undefined;
  /** Is called for every delivery attempt. */
  readonly observer?: CoreObserver | undefined;
  readonly tracer?: Tracer | undefined;
}

/** The background tasks. Any number of workers may run each at a time. */
export interface Tasks {
  readonly expireLinks: () => Promise<void>;
  readonly settle: () => Promise<void>;
  /** Adds the new lines of the books to the kept sums. */
  readonly sumLines: () => Promise<void>;
  /** Asks providers about charges, and ends those whose time is over. */
  readonly checkCharges: () => Promise<void>;
  /** Asks providers about refunds that are not final. */
  readonly checkRefunds: () => Promise<void>;
  /** Gives back money that came late or twice, of tenants that have it given back by itself. */
  readonly refundExceptions: () => Promise<void>;
  /** Asks card providers what became of the money of paid charges. */
  readonly readReceivables: () => Promise<void>;
  /** Asks providers about the callbacks that came. */
  readonly answerCallbacks: () => Promise<void>;
  /** Asks providers whether they still call back. */
  readonly checkQueues: () => Promise<void>;
  /** Reads the statements of providers that are due. */
  readonly sweepProviders: () => Promise<void>;
  /** Reads what providers state of accounts, where that is due. */
  readonly readStatements: () => Promise<void>;
  /** Compares our books, providers' statements and banks' files, where something is new or a day has ended. */
  readonly reconcile: () => Promise<void>;
  readonly removePast: () => Promise<void>;
  /** Checks the books, and compares prices with the amounts made from them. */
  readonly check: () => Promise<void>;
  /** Asks for a newer live rate if that is due. */
  readonly fetchRate: () => Promise<void>;
  /** Writes the e-mails with links to a new password that users asked for. */
  readonly answerResets: () => Promise<void>;
  /** Sends the e-mails that are due. */
  readonly sendMail: () => Promise<void>;
  /** Writes the e-mails of what needs a person. */
  readonly writeDigests: () => Promise<void>;
  /** Writes the e-mails of payments that succeeded. */
  readonly writePaymentMails: () => Promise<void>;
}

/** A round of a task in one mode. */
type Round = (mode: Mode) => Promise<unknown>;

/** The tasks that each mode has for itself. */
type ModeTask = Exclude<
  keyof Tasks,
  "fetchRate" | "answerResets" | "sendMail" | "writeDigests" | "writePaymentMails"
>;

/** A running worker. */
export interface Worker {
  /** Completes the running work and takes no more. */
  stop(): Promise<void>;
}

/** The time between the rounds of each task in a mode. */
const PAUSES_MS: Readonly<Record<ModeTask, number>> = {
  expireLinks: 5000,
  // A PIX code that its provider did not issue at once is asked for again after two seconds.
  checkCharges: 1000,
  checkRefunds: 5000,
  refundExceptions: 30_000,
  readReceivables: 5000,
  answerCallbacks: 1000,
  checkQueues: 60_000,
  sweepProviders: 15_000,
  readStatements: 15_000,
  reconcile: 5000,
  settle: 60_000,
  sumLines: 5000,
  removePast: 60_000,
  check: 15_000,
};
const TASKS_OF_MODE = Object.keys(PAUSES_MS) as ModeTask[];
const DELIVERY_PAUSE_MS = 250;
const USERS_RETENTION_MS = 60_000;
const RATE_MS = 5000;
/** The same of e-mails. */
const MAIL_PAUSES_MS = [
  ["answerResets", 1000],
  ["writeDigests", 30_000],
  ["writePaymentMails", 5000],
  ["sendAskedMail", 2000],
  ["sendMail", 2000],
] as const;

function modeTasks(deps: WorkerDeps): Readonly<Record<ModeTask, Round>> {
  const { environments, clock, ledger, links, checkouts, refunds, checks, providerAccounts } = deps;
  const { pricing, receivables, reconciliation } = deps;
  return {
    check: async (mode) => {
      await checks.checkBooks(mode);
      await checks.checkPrices(mode);
    },
    expireLinks: async (mode) => await links.expireDue(mode),
    checkCharges: async (mode) => await checkouts.checkCharges(mode),
    checkRefunds: async (mode) => await refunds.checkRefunds(mode),
    refundExceptions: async (mode) => await refunds.refundExceptions(mode),
    readReceivables: async (mode) => await receivables.readDue(mode),
    answerCallbacks: async (mode) => await providerAccounts.answerCallbacks(mode),
    checkQueues: async (mode) => await providerAccounts.checkQueues(mode),
    sweepProviders: async (mode) => await providerAccounts.sweepDue(mode),
    readStatements: async (mode) => await reconciliation.readDue(mode),
    reconcile: async (mode) => await reconciliation.matchDue(mode),
    settle: async (mode) => await ledger.settleDue(mode),
    sumLines: async (mode) => await ledger.sumLines(mode),
    removePast: async (mode) => {
      await removePastKeys(environments[mode], clock);
      await removeOldAttempts(environments[mode], clock);
      await checkouts.removePast(mode);
      await pricing.removePast(mode);
      await providerAccounts.removePast(mode);
    },
  };
}

/** Returns the tasks, with a round in both modes each. */
export function createTasks(deps: WorkerDeps): Tasks {
  const { users, rateFeed, liveOf } = deps;
  const rounds = modeTasks(deps);
  const inBothModes = Object.fromEntries(TASKS_OF_MODE.map((task) => [task, inEach(rounds[task])])) as Pick<
    Tasks,
    ModeTask
  >;
  return {
    ...inBothModes,
    removePast: async () => {
      await inBothModes.removePast();
      await users.removePast();
    },
    fetchRate: async () => await rateFeed?.round(),
    answerResets: async () => await users.answerResets(),
    sendMail: async () => {
      await users.sendAskedMail();
      await users.sendMail();
    },
    writeDigests: async () => await users.writeDigests(liveOf),
    writePaymentMails: async () => await users.writePaymentMails(),
  };
}

function inEach(round: Round): () => Promise<void> {
  return async () => {
    const results = await Promise.allSettled(MODES.map(round));
    const faults = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults);
  };
}

/** Starts the tasks and the deliveries of both modes. */
export function startWorker(deps: WorkerDeps): Worker {
  const { environments, policies, lookup, encryption, clock, log, delivery, observer, tracer } = deps;
  const { users, rateFeed, liveOf } = deps;
  const onFault = (error: unknown): void => log.error({ err: error }, "background work failed");
  const rounds = modeTasks(deps);
  // Each mode repeats by itself: the other one's slow round delays none of its rounds.
  const repeatIn = (mode: Mode, task: ModeTask): Repeating =>
    repeat(PAUSES_MS[task], async () => await rounds[task](mode), onFault);
  const deliveries = MODES.map((mode) => {
    const unwatched = new Sender({ policy: policies[mode], lookup, timeoutMs: delivery.timeoutMs });
    const sender = watchedSender(unwatched, mode, observer, tracer);
    const environment = environments[mode];
    return deliveryWork({ environment, sender, encryption, clock, ...delivery }, onFault);
  });
  const mailPauses = users.sendsMail ? MAIL_PAUSES_MS : [];
  const parts = [
    ...deliveries.map((work) => repeat(DELIVERY_PAUSE_MS, async () => await work.round(), onFault)),
    ...MODES.flatMap((mode) => TASKS_OF_MODE.map((task) => repeatIn(mode, task))),
    repeat(USERS_RETENTION_MS, async () => await users.removePast(), onFault),
    ...mailPauses.map(([task, ms]) => repeat(ms, async () => await users[task](liveOf), onFault)),
    ...(rateFeed ? [repeat(RATE_MS, async () => await rateFeed.round(), onFault)] : []),
  ];
  return {
    stop: async () => {
      rateFeed?.end();
      await Promise.all([users.endMail(), ...[...deliveries, ...parts].map((part) => part.stop())]);
    },
  };
}
