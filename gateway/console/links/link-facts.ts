import type { ListCheckoutSessionsResponse } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { PaymentLink, PaymentLinkDetails } from "../../../gen/paylink/links/v1/links_pb.ts";
import type { Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { isUnknown } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";

/** All that the page of one link shows. */
export interface LinkFacts {
  readonly link: PaymentLink;
  readonly details: PaymentLinkDetails | undefined;
  readonly sessions: ListCheckoutSessionsResponse;
  readonly payments: readonly Payment[];
  readonly events: readonly Event[];
}

// Events of so many payments are looked up, the newest first.
const EVENTS_OF_MAX = 10;

/** Reads what there is to know of a link. `newest` is a payment that no session tells of: a simulated one. */
export async function linkFacts(visit: Visit, id: string, newest: string): Promise<LinkFacts> {
  const { core, as } = visit;
  const [{ paymentLink: link, details }, sessions] = await Promise.all([
    core.links.getPaymentLink({ id }, as),
    core.checkout.listCheckoutSessions({ linkId: id }, as),
  ]);
  if (!link) throw new Refused("unknown", visit);
  const started = sessions.data.flatMap(({ payments }) => payments.map((payment) => payment.id));
  const found = await Promise.all([...new Set([newest, ...started])].map((one) => paymentOf(visit, one)));
  const payments = found.filter((payment): payment is Payment => payment?.linkId === id);
  const objects = [id, ...payments.slice(0, EVENTS_OF_MAX).map((payment) => payment.id)];
  const listed = await Promise.all(objects.map((objectId) => core.webhooks.listEvents({ objectId }, as)));
  const events = listed
    .flatMap((answer) => answer.events)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return { link, details, sessions, payments, events };
}

async function paymentOf({ core, as }: Visit, id: string): Promise<Payment | undefined> {
  if (id === "") return undefined;
  try {
    return (await core.ledger.getPayment({ id }, as)).payment;
  } catch (error) {
    if (isUnknown(error)) return undefined;
    throw error;
  }
}
