import { Counter, Gauge, type Registry } from "prom-client";
import { WATCHED_FAULTS } from "../../src/provider-accounts/watched-provider.ts";
import type { ProviderStanding } from "../../src/provider-accounts/standing.ts";
import type { ReceivablesStanding } from "../../src/receivables/overdue.ts";
import type { EndedAsking } from "../../src/platform/observe/observer.ts";

/** The metrics of accounts at payment providers. */
export class ProviderMetrics {
  readonly #unknown;
  readonly #unknownReferences;
  readonly #returns;
  readonly #interrupted;
  readonly #unread;
  readonly #certificateEnd;
  readonly #sweptTo;
  readonly #returnsSweptTo;
  readonly #overdue;
  readonly #deadlines;
  readonly #failures;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string): Gauge =>
      new Gauge({ name, help, labelNames: ["mode"], registers: [registry] });
    this.#unknown = gauge(
      "paylink_provider_unknown_money",
      "Open amounts on providers' accounts that belong to no charge.",
    );
    this.#unknownReferences = gauge(
      "paylink_provider_recent_unknown_references",
      "References to no charge in the callbacks of the last six hours.",
    );
    this.#returns = gauge(
      "paylink_provider_recent_returns_by_others",
      "Returns of the last six hours that no merchant asked for.",
    );
    this.#interrupted = gauge(
      "paylink_provider_interrupted_callbacks",
      "Active accounts whose provider has stopped to call back after too many failures.",
    );
    this.#unread = gauge(
      "paylink_provider_unread_statements",
      "Active accounts with days whose statements their provider refuses, or that are left to read.",
    );
    this.#certificateEnd = gauge(
      "paylink_provider_certificate_end_timestamp_seconds",
      "Unix time at which the first client certificate of an active account ends.",
    );
    this.#sweptTo = gauge(
      "paylink_provider_swept_to_timestamp_seconds",
      "Unix time up to which the statements of every active account were read.",
    );
    this.#returnsSweptTo = gauge(
      "paylink_provider_returns_swept_to_timestamp_seconds",
      "Unix time up to which what went back was read of every active account where that is a list of its own.",
    );
    this.#overdue = gauge(
      "paylink_card_overdue_payments",
      "Card payments of which money was expected at the provider more than three days ago, and is not settled.",
    );
    this.#deadlines = gauge(
      "paylink_card_dispute_deadlines",
      "Disputes that can still be answered, and no more after three days.",
    );
    this.#failures = new Counter({
      name: "paylink_provider_failures_total",
      help: "Failures of providers, by kind; wrong: an answer that contradicts what was asked or offered, or cannot be read.",
      labelNames: ["mode", "kind"],
      registers: [registry],
    });
    // Prometheus sees no increase in a series that begins with its first failure.
    for (const kind of WATCHED_FAULTS) this.#failures.inc({ mode: "live", kind }, 0);
  }

  /** Replaces all figures. Without accounts, there is no certificate and no statement. */
  set(mode: string, standing: ProviderStanding): void {
    const { certificateEndsAt, sweptTo, returnsSweptTo } = standing;
    this.#unknown.set({ mode }, standing.unknownCount);
    this.#unknownReferences.set({ mode }, standing.unknownReferenceCount);
    this.#returns.set({ mode }, standing.returnCount);
    this.#interrupted.set({ mode }, standing.interruptedCount);
    this.#unread.set({ mode }, standing.unreadCount);
    for (const [gauge, time] of [
      [this.#certificateEnd, certificateEndsAt],
      [this.#sweptTo, sweptTo],
      [this.#returnsSweptTo, returnsSweptTo],
    ] as const) {
      if (time) gauge.set({ mode }, time.getTime() / 1000);
      else gauge.remove({ mode });
    }
  }

  setReceivables(mode: string, { overdueCount, deadlineCount }: ReceivablesStanding): void {
    this.#overdue.set({ mode }, overdueCount);
    this.#deadlines.set({ mode }, deadlineCount);
  }

  failed({ mode, kind }: EndedAsking): void {
    this.#failures.inc({ mode, kind });
  }
}
