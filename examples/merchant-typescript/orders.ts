/** What the shop knows of a sale. A real shop keeps this in its database. */
export interface Order {
  /** The shop's own number: the `reference` of link, payment and webhook. */
  readonly reference: string;
  readonly total: number;
  readonly currency: string;
  /** The Payment that paid it, once a webhook has reported it. */
  paymentId: string | undefined;
}

/** The shop's orders, and the events that it has seen. */
export class Orders {
  readonly #byReference = new Map<string, Order>();
  readonly #seenEvents = new Set<string>();

  add(order: Order): void {
    this.#byReference.set(order.reference, order);
  }

  all(): Order[] {
    return [...this.#byReference.values()];
  }

  find(reference: string): Order | undefined {
    return this.#byReference.get(reference);
  }

  /**
   * Notes that an order was paid. False: the event was seen before, or concerns no order of ours.
   * A real shop does both in one transaction, with a unique key on the event's id.
   */
  markPaid(eventId: string, reference: string, paymentId: string): boolean {
    if (this.#seenEvents.has(eventId)) return false;
    this.#seenEvents.add(eventId);
    const order = this.#byReference.get(reference);
    if (order) order.paymentId = paymentId;
    return order !== undefined;
  }
}
