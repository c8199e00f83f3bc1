import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";
import type { EndedRequest } from "../../gateway/http/request-observer.ts";
import type { Core } from "../../src/app.ts";
import type { EndedAttempt, EndedCall } from "../../src/platform/observe/observer.ts";
import { BusinessMetrics } from "./business-metrics.ts";
import type { SafeLog } from "./log.ts";
import { ProviderMetrics } from "./provider-metrics.ts";
import { RateMetrics } from "./rate-metrics.ts";
import { Tally } from "./tally.ts";
import { repeat, type Repeating } from "../../src/platform/work/repeating.ts";

const REFRESH_MS = 5000;
// Business figures read more.
const BUSINESS_REFRESH_MS = 30_000;

/** All metrics of a process. No label names a tenant, a payment or an address. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Tally(
    this.registry,
    {
      name: "paylink_http_requests_total",
      help: "REST and page requests.",
      labelNames: ["route", "verb", "status", "mode"],
    },
    {
      name: "paylink_http_request_duration_seconds",
      help: "Time from the request's headers to the end of the response; of a stream of events, to its beginning.",
      labelNames: ["route", "verb"],
    },
  );
  readonly #calls = new Tally(
    this.registry,
    {
      name: "paylink_rpc_calls_total",
      help: "Calls to the core, in this process or over the network.",
      labelNames: ["service", "method", "code", "mode"],
    },
    {
      name: "paylink_rpc_duration_seconds",
      help: "Time of a call in the core.",
      labelNames: ["service", "method"],
    },
  );
  readonly #attempts = this.#counter("paylink_webhook_attempts_total", "Attempts to deliver webhooks.", [
    "mode",
    "outcome",
  ]);

  readonly business = new BusinessMetrics(this.registry);
  readonly providers = new ProviderMetrics(this.registry);

  constructor(role: string, version: string) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: "paylink_build_info",
      help: "The version and the part that runs.",
      labelNames: ["version", "role", "node"],
      registers: [this.registry],
      aggregator: "first",
    }).set({ version, role, node: process.versions.node }, 1);
  }

  requestEnded({ route = "none", verb, status, mode = "none", durationMs }: EndedRequest): void {
    this.#requests.add(
      `${route} ${verb} ${status} ${mode}`,
      { route, verb, status: String(status), mode },
      durationMs,
    );
  }

  callEnded({ service, method, code, mode = "none", durationMs }: EndedCall): void {
    // A caller can send any text in the header.
    const known = mode === "live" || mode === "test" ? mode : "none";
    const labels = { service, method, code, mode: known };
    this.#calls.add(`${service} ${method} ${code} ${known}`, labels, durationMs);
  }

  attemptEnded({ mode, outcome }: EndedAttempt): void {
    this.#attempts.inc({ mode, outcome });
  }

  /** Reads the core's state at intervals, so that a scrape does not query the database. */
  watch(core: Core, log: Pick<SafeLog, "warn">): Repeating {
    const deliveries = this.#gauge(
      "paylink_jobs",
      "Deliveries of webhooks that wait, by whether their next attempt is due.",
      ["mode", "state"],
    );
    const oldest = this.#gauge(
      "paylink_job_oldest_due_seconds",
      "Seconds that the oldest due delivery has waited for its attempt.",
      ["mode"],
    );
    const ledger = this.#gauge(
      "paylink_ledger_problems",
      "Problems that the last check of the books found.",
      ["mode"],
    );
    const parity = this.#gauge(
      "paylink_price_parity_violations",
      "Differences between the price and what was shown, charged, booked or sent in events, found by the last check.",
      ["mode"],
    );
    const checked = this.#gauge(
      "paylink_audit_last_timestamp_seconds",
      "Unix time of the last check of books and prices.",
      ["mode", "audit"],
    );
    const rates = new RateMetrics(this.registry);
    const isUp = this.#gauge(
      "paylink_database_up",
      "1 if the last query for these metrics was answered.",
      [],
    );
    const refresh = async (): Promise<void> => {
      const [standings, states, rateStandings, providerStanding, receivables] = await Promise.all([
        core.checks.standings(),
        core.deliveryStates(),
        core.rateStandings(),
        core.providerStanding(),
        core.receivablesStanding(),
      ]);
      rates.set(rateStandings);
      this.providers.set("live", providerStanding);
      this.providers.setReceivables("live", receivables);
      for (const [mode, state] of Object.entries(states)) {
        deliveries.set({ mode, state: "deferred" }, state.deferredCount);
        deliveries.set({ mode, state: "due" }, state.dueCount);
        oldest.set({ mode }, state.oldestDueSeconds);
      }
      for (const { mode, ...standing } of standings) {
        // A check that never ran has no figure, rather than a good one.
        if (standing.booksCheckedAt) {
          ledger.set({ mode }, standing.bookProblemCount ?? 0);
          checked.set({ mode, audit: "ledger" }, standing.booksCheckedAt.getTime() / 1000);
        }
        if (standing.pricesCheckedAt) {
          parity.set({ mode }, standing.priceDifferenceCount ?? 0);
          checked.set({ mode, audit: "price_parity" }, standing.pricesCheckedAt.getTime() / 1000);
        }
      }
      isUp.set(1);
    };
    const onFault = (error: unknown): void => {
      isUp.set(0);
      log.warn({ err: error }, "figures were not read");
    };
    const watching = repeat(REFRESH_MS, refresh, onFault);
    const business = repeat(
      BUSINESS_REFRESH_MS,
      async () => this.business.set(await core.businessFigures()),
      (error) => log.warn({ err: error }, "figures were not read"),
    );
    return { stop: async () => void (await Promise.all([watching.stop(), business.stop()])) };
  }

  /** Shows the connections of this process's pools, and how far its replica is behind. */
  watchPools({ pools, replicaStanding }: Pick<Core, "pools" | "replicaStanding">): void {
    if (replicaStanding()) this.#watchReplica(replicaStanding);
    const connections = new Gauge({
      name: "paylink_database_connections",
      help: "Connections of each pool.",
      labelNames: ["pool", "state"],
      registers: [this.registry],
      collect: () => {
        for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
          connections.set({ pool, state: "idle" }, idleCount);
          connections.set({ pool, state: "used" }, totalCount - idleCount);
        }
      },
    });
    const waiting = new Gauge({
      name: "paylink_database_waiting_requests",
      help: "Requests that wait for a connection.",
      labelNames: ["pool"],
      registers: [this.registry],
      collect: () => {
        for (const [pool, { waitingCount }] of Object.entries(pools)) waiting.set({ pool }, waitingCount);
      },
    });
  }

  #watchReplica(standing: Core["replicaStanding"]): void {
    const lag: Gauge = new Gauge({
      name: "paylink_database_replica_lag_seconds",
      help: "How old what the replica shows may be. Absent: it does not answer, or is no replica of this database.",
      registers: [this.registry],
      aggregator: "max",
      collect: () => {
        const { lagMs } = standing() ?? {};
        if (lagMs === undefined) lag.remove();
        else lag.set(lagMs / 1000);
      },
    });
    const used: Gauge = new Gauge({
      name: "paylink_database_replica_used",
      help: "1 if reads that decide nothing go to the replica.",
      registers: [this.registry],
      aggregator: "min",
      collect: () => used.set(standing()?.isUsed === true ? 1 : 0),
    });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }
}
