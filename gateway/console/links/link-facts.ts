import type {
  ListCheckoutSessionsResponse,
  SummarizeVisitsResponse,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Payment, PaymentSum } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { PaymentLink, PaymentLinkDetails } from "../../../gen/paylink/links/v1/links_pb.ts";
import type { Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { dayOf } from "../day.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";

/** The data of a link's page. */
export interface LinkFacts {
  readonly link: PaymentLink;
  readonly details: PaymentLinkDetails | undefined;
  readonly sessions: ListCheckoutSessionsResponse;
  /** The newest ones. */
  readonly payments: readonly Payment[];
  readonly hasMorePayments: boolean;
  readonly events: readonly Event[];
  readonly visits: SummarizeVisitsResponse;
  /** The link's payments by status. */
  readonly sums: readonly PaymentSum[];
}

// The newest payments whose events are looked up.
const EVENTS_OF_MAX = 10;
const LAST_DAY = "9999-12-31";

/** Reads the data of a link's page. */
export async function linkFacts(visit: Visit, id: string): Promise<LinkFacts> {
  const { core, as } = visit;
  const { paymentLink: link, details } = await core.links.getPaymentLink({ id }, as);
  if (!link) throw new Refused("unknown", visit);
  const period = { from: dayOf(Number(link.created?.seconds ?? 0)), to: LAST_DAY };
  const filter = { linkId: id, ...period };
  const [sessions, { payments, hasMore }, visits, { totals: sums }] = await Promise.all([
    core.checkout.listCheckoutSessions({ linkId: id }, as),
    core.ledger.searchPayments({ filter }, as),
    core.checkout.summarizeVisits({ linkId: id, ...period }, as),
    core.ledger.summarizePayments({ filter }, as),
  ]);
  const objectIds = [id, ...payments.slice(0, EVENTS_OF_MAX).map((payment) => payment.id)];
  const listed = await core.webhooks.listObjectEvents({ objectIds }, as);
  const events = listed.events.flatMap(({ event }) => event ?? []);
  return { link, details, sessions, payments, hasMorePayments: hasMore, events, visits, sums };
}
