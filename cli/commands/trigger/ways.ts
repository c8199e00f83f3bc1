import type { DeliveredType } from "../../../contract/event-types.ts";
import { SimulatedAftermath, SimulatedOutcome } from "../../../gen/paylink/links/v1/links_pb.ts";
import type { Shop } from "./shop.ts";

/** What an event is about, by its ids. `event`: the event itself, where that is known at once. */
export interface Made {
  readonly link?: string;
  readonly payment?: string;
  readonly refund?: string;
  readonly endpoint?: string;
  readonly event?: string;
}

const { SUCCEEDED, FAILED } = SimulatedOutcome;
const { RETURNED, RETURN_REVERSED, DISPUTED, DISPUTE_WON } = SimulatedAftermath;
const EXPIRES_IN = 1n;
// The sandbox refuses a refund of so many centavos.
const REFUSED_REFUND = 101n;

/** How an event of each type is made to happen. */
export const WAYS: Readonly<Record<DeliveredType, (shop: Shop) => Promise<Made>>> = {
  "payment.succeeded": async (shop) => await shop.payment(SUCCEEDED),
  "payment.failed": async (shop) => await shop.payment(FAILED),
  "payment.pending": async (shop) => await shop.startedPayment(),
  "link.created": async (shop) => ({ link: await shop.link() }),
  "link.completed": async (shop) => await shop.payment(SUCCEEDED),
  "link.deactivated": async (shop) => ({ link: await shop.canceledLink() }),
  "link.expired": async (shop) => ({ link: await shop.link(undefined, EXPIRES_IN) }),
  "refund.succeeded": async (shop) => await shop.refund(),
  "refund.failed": async (shop) => await shop.refund(REFUSED_REFUND),
  "payment.returned": async (shop) => await shop.payment(SUCCEEDED, RETURNED),
  "payment.return_reversed": async (shop) => await shop.payment(SUCCEEDED, RETURN_REVERSED, "card"),
  "payment.disputed": async (shop) => await shop.payment(SUCCEEDED, DISPUTED, "card"),
  "payment.dispute_closed": async (shop) => await shop.payment(SUCCEEDED, DISPUTE_WON, "card"),
  "webhook.test": async (shop) => await shop.testEvent(),
};
