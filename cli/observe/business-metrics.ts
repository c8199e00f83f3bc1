import { Gauge, type Registry } from "prom-client";
import type { BusinessFigures } from "../../src/app.ts";

/** The metrics of what was sold. Each core reads them from the database, so that they are the same in all. */
export class BusinessMetrics {
  readonly #payments;
  readonly #events;
  readonly #refunds;
  readonly #delivery;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string, labelNames: string[]): Gauge =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    this.#payments = gauge(
      "paylink_recent_payments",
      "Payments that began or changed in the last hour, by what became of them.",
      ["mode", "method", "outcome"],
    );
    this.#events = gauge("paylink_recent_events", "Events of the last hour, by type.", ["mode", "type"]);
    this.#refunds = gauge("paylink_open_refunds", "Refunds that their providers have not decided.", ["mode"]);
    this.#delivery = gauge(
      "paylink_oldest_delivery_seconds",
      "Age of the oldest event that waits for its delivery to an endpoint.",
      ["mode"],
    );
  }

  /** Replaces all figures of both modes. */
  set(figures: Readonly<Record<string, BusinessFigures>>): void {
    this.#payments.reset();
    this.#events.reset();
    for (const [mode, { payments, events, openRefundCount, oldestDeliverySeconds }] of Object.entries(
      figures,
    )) {
      for (const { method, status, count } of payments)
        this.#payments.set({ mode, method, outcome: status }, count);
      for (const { type, count } of events) this.#events.set({ mode, type }, count);
      this.#refunds.set({ mode }, openRefundCount);
      this.#delivery.set({ mode }, oldestDeliverySeconds);
    }
  }
}
