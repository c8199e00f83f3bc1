import type { Change } from "../platform/write/change.ts";
import type { EventContent, EventOwner, RecordEvents } from "../webhooks/event.ts";
import type { PaymentLinkRow, PaymentLinkStatus } from "./entities.ts";
import { toPaymentLink } from "./mapping.ts";

/** What the events of links need. */
export interface LinkEventDeps {
  readonly recordEvents: RecordEvents;
  /** Host of the payer's pages, without a trailing slash. */
  readonly checkoutBase: string;
}

/** The type of a link's event, by the status that the link has since then. */
const TYPES = {
  active: "link.created",
  completed: "link.completed",
  canceled: "link.deactivated",
  expired: "link.expired",
} as const satisfies Record<PaymentLinkStatus, EventContent["type"]>;

/** Returns the changes that record that links came to this status, each as the API shows it then. */
export function recordLinks(
  { recordEvents, checkoutBase }: LinkEventDeps,
  owner: EventOwner,
  status: PaymentLinkStatus,
  links: readonly PaymentLinkRow[],
): Change[] {
  const contents = links.map((link): EventContent => {
    const paymentLink = toPaymentLink(owner.mode, link, status, checkoutBase);
    const { reference } = paymentLink;
    return { type: TYPES[status], objectId: link.id, reference, data: { paymentLink } };
  });
  return recordEvents(owner, ...contents);
}
