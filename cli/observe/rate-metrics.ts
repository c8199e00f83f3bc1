import { Gauge, type Registry } from "prom-client";
import type { RateStanding } from "../../src/pricing/rate-standing.ts";

/** The metrics of exchange rates. */
export class RateMetrics {
  readonly #age;
  readonly #maxAge;
  readonly #held;
  readonly #failures;
  readonly #answered;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string, labelNames: string[]): Gauge =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    this.#age = gauge(
      "paylink_fx_rate_age_seconds",
      "Age of the newest rate: of bank-open time if it was fetched, else by the clock.",
      ["mode", "source"],
    );
    this.#maxAge = gauge(
      "paylink_fx_rate_max_age_seconds",
      "Age past which the newest rate is not used, counted in the same way.",
      ["mode", "source"],
    );
    this.#held = gauge("paylink_fx_held_rates", "Fetched rates that wait for their release.", ["mode"]);
    this.#failures = gauge("paylink_fx_feed_failures", "Failed requests since the source's last answer.", [
      "mode",
      "source",
    ]);
    this.#answered = gauge(
      "paylink_fx_feed_answered_timestamp_seconds",
      "Unix time of the source's last answer.",
      ["mode", "source"],
    );
  }

  /** Replaces all figures. A mode without a rate has none. */
  set(standings: readonly RateStanding[]): void {
    // The source is a label: the one before must not stay.
    for (const gauge of [this.#age, this.#maxAge, this.#failures, this.#answered]) gauge.reset();
    for (const { mode, rate, heldCount, feed } of standings) {
      this.#held.set({ mode }, heldCount);
      if (rate) {
        this.#age.set({ mode, source: rate.source }, rate.ageSeconds);
        this.#maxAge.set({ mode, source: rate.source }, rate.maxAgeSeconds);
      }
      if (feed) {
        this.#failures.set({ mode, source: feed.source }, feed.failureCount);
        if (feed.answeredAt) {
          this.#answered.set({ mode, source: feed.source }, feed.answeredAt.getTime() / 1000);
        }
      }
    }
  }
}
