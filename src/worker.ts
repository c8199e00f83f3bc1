import type { Tracer } from "@opentelemetry/api";
import type { LookupFunction } from "node:net";
import type { Checkouts } from "./checkout/service.ts";
import type { LedgerChecks } from "./ledger/periodic-checks.ts";
import type { Ledger } from "./ledger/service.ts";
import type { Refunds } from "./refunds/service.ts";
import type { ProviderAccounts } from "./provider-accounts/service.ts";
import type { Users } from "./users/service.ts";
import type { Links } from "./links/service.ts";
import { MODES, type Mode } from "./platform/caller.ts";
import type { RateFeed } from "./pricing/rate-feed.ts";
import type { Clock } from "./platform/clock.ts";
import type { Environment } from "./platform/database.ts";
import type { FaultLog } from "./platform/error-interceptor.ts";
import type { JobQueue } from "./platform/jobs.ts";
import type { CoreObserver } from "./platform/observer.ts";
import { repeat } from "./platform/repeating.ts";
import { removePastKeys } from "./platform/retention.ts";
import type { Encryption } from "./platform/encryption.ts";
import { DeliveryWorker } from "./webhooks/delivery-worker.ts";
import { deliver, type DeliveryJob } from "./webhooks/delivery.ts";
import type { AddressPolicy } from "./platform/outside-address.ts";
import { LostJobs } from "./webhooks/lost-jobs.ts";
import { removeOldAttempts } from "./webhooks/retention.ts";
import { Sender } from "./webhooks/sender.ts";
import { watchedSender } from "./webhooks/watched-sender.ts";

/** The settings of deliveries. */
export interface DeliverySettings {
  /** Seconds before each attempt of a round. */
  readonly schedule: readonly number[];
  /** The maximum time of one attempt, from its start to the last byte of the response. */
  readonly timeoutMs: number;
}

export interface WorkerDeps {
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly queues: Readonly<Record<Mode, JobQueue<DeliveryJob>>>;
  readonly policies: Readonly<Record<Mode, AddressPolicy>>;
  readonly lookup: LookupFunction;
  readonly encryption: Encryption;
  readonly clock: Clock;
  readonly log: FaultLog;
  readonly ledger: Ledger;
  readonly checks: LedgerChecks;
  readonly links: Links;
  readonly users: Users;
  readonly checkouts: Checkouts;
  readonly refunds: Refunds;
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
  /** Asks providers about charges, and ends those whose time is over. */
  readonly checkCharges: () => Promise<void>;
  /** Asks providers about refunds that are not final. */
  readonly checkRefunds: () => Promise<void>;
  /** Asks providers about the callbacks that came. */
  readonly answerCallbacks: () => Promise<void>;
  /** Reads the statements of providers that are due. */
  readonly sweepProviders: () => Promise<void>;
  readonly removePast: () => Promise<void>;
  /** Checks the books, and compares prices with the amounts made from them. */
  readonly check: () => Promise<void>;
  /** Gives the jobs of dead workers to others. */
  readonly superviseJobs: () => Promise<void>;
  /** Creates the lost jobs of due deliveries. */
  readonly replaceLostJobs: () => Promise<void>;
  /** Asks for a newer live rate if that is due. */
  readonly fetchRate: () => Promise<void>;
}

/** A running worker. */
export interface Worker {
  /** Completes the running work and takes no more. */
  stop(): Promise<void>;
}

const EXPIRY_MS = 5000;
// A PIX code that its provider did not issue at once is asked for again after two seconds.
const CHARGES_MS = 1000;
const REFUNDS_MS = 5000;
const CALLBACKS_MS = 1000;
const SWEEPS_MS = 15_000;
const SUPERVISION_MS = 3000;
const LOST_JOBS_MS = 30_000;
const SETTLEMENT_MS = 60_000;
const RETENTION_MS = 60_000;
const CHECKS_MS = 15_000;
const RATE_MS = 5000;

export function createTasks(deps: WorkerDeps): Tasks {
  const {
    environments,
    queues,
    clock,
    log,
    ledger,
    links,
    checkouts,
    refunds,
    checks,
    users,
    rateFeed,
    providerAccounts,
  } = deps;
  const lostJobs = {
    live: new LostJobs(environments.live, queues.live, clock),
    test: new LostJobs(environments.test, queues.test, clock),
  };
  const removePast = inEach(async (mode) => {
    await removePastKeys(environments[mode], clock);
    await removeOldAttempts(environments[mode], clock);
    await checkouts.removePast(mode);
    await providerAccounts.removePast(mode);
  });
  return {
    check: inEach(async (mode) => {
      await checks.checkBooks(mode);
      await checks.checkPrices(mode);
    }),
    expireLinks: inEach(async (mode) => await links.expireDue(mode)),
    checkCharges: inEach(async (mode) => await checkouts.checkCharges(mode)),
    checkRefunds: inEach(async (mode) => await refunds.checkRefunds(mode)),
    answerCallbacks: inEach(async (mode) => await providerAccounts.answerCallbacks(mode)),
    sweepProviders: inEach(async (mode) => await providerAccounts.sweepDue(mode)),
    settle: inEach(async (mode) => await ledger.settleDue(mode)),
    removePast: async () => {
      await removePast();
      await users.removePast();
    },
    superviseJobs: inEach(async (mode) => await queues[mode].supervise()),
    replaceLostJobs: inEach(async (mode) => {
      const count = await lostJobs[mode].replace();
      if (count > 0) log.error({ mode, count }, "deliveries had lost their jobs");
    }),
    fetchRate: async () => await rateFeed?.round(),
  };
}

function inEach(task: (mode: Mode) => Promise<unknown>): () => Promise<void> {
  return async () => {
    const results = await Promise.allSettled(MODES.map(task));
    const faults = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults);
  };
}

/** Starts the tasks and the deliveries of both modes. */
export function startWorker(deps: WorkerDeps): Worker {
  const { environments, queues, policies, lookup, encryption, clock, log, delivery, observer, tracer } = deps;
  const onFault = (error: unknown): void => log.error({ err: error }, "background work failed");
  const tasks = createTasks(deps);
  const parts = [
    ...MODES.map((mode) => {
      const { schedule, timeoutMs } = delivery;
      const sender = watchedSender(
        new Sender({ policy: policies[mode], lookup, timeoutMs }),
        mode,
        observer,
        tracer,
      );
      const deliveryDeps = {
        environment: environments[mode],
        queue: queues[mode],
        sender,
        encryption,
        clock,
        schedule,
      };
      return new DeliveryWorker(queues[mode], async (job) => await deliver(job, deliveryDeps), onFault);
    }),
    repeat(EXPIRY_MS, tasks.expireLinks, onFault),
    repeat(CHARGES_MS, tasks.checkCharges, onFault),
    repeat(REFUNDS_MS, tasks.checkRefunds, onFault),
    repeat(CALLBACKS_MS, tasks.answerCallbacks, onFault),
    repeat(SWEEPS_MS, tasks.sweepProviders, onFault),
    repeat(SUPERVISION_MS, tasks.superviseJobs, onFault),
    repeat(LOST_JOBS_MS, tasks.replaceLostJobs, onFault),
    repeat(SETTLEMENT_MS, tasks.settle, onFault),
    repeat(RETENTION_MS, tasks.removePast, onFault),
    repeat(CHECKS_MS, tasks.check, onFault),
    ...(deps.rateFeed ? [repeat(RATE_MS, tasks.fetchRate, onFault)] : []),
  ];
  return {
    stop: async () => {
      deps.rateFeed?.end();
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
