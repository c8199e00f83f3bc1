import { html } from "hono/html";
import { LedgerEntryKind, type LedgerEntry } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DeliveryStatus, type Delivery, type Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Html } from "../../pages/html.ts";
import { badge, card, time, type Tone } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { typeText } from "../webhooks/texts.ts";
import { sayIn as sayOfEvents } from "../webhooks/words.ts";
import { accountText } from "./account.ts";
import { sayIn, type Word } from "./words.ts";

const EVENTS_MAX = 100;

const DELIVERIES: Readonly<Record<DeliveryStatus, readonly [Tone, Word]>> = {
  [DeliveryStatus.UNSPECIFIED]: ["plain", "delivery_pending"],
  [DeliveryStatus.PENDING]: ["warn", "delivery_pending"],
  [DeliveryStatus.SUCCEEDED]: ["good", "delivery_succeeded"],
  [DeliveryStatus.FAILED]: ["bad", "delivery_failed"],
};

/** What happened to a payment, with how each event was delivered. */
export async function timeline(visit: Visit, paymentId: string): Promise<Html> {
  const say = sayIn(visit.language);
  const { core, as } = visit;
  const { events } = await core.webhooks.listEvents({ objectId: paymentId, limit: EVENTS_MAX }, as);
  const deliveries = await Promise.all(
    events.map(async ({ id, isInternal }) =>
      isInternal
        ? []
        : (await core.webhooks.listDeliveries({ eventId: id, limit: EVENTS_MAX }, as)).deliveries,
    ),
  );
  if (events.length === 0) return html``;
  return card(
    say("events"),
    table({
      caption: say("events"),
      columns: [{ title: say("event") }, { title: say("event_time") }, { title: say("deliveries") }],
      rows: events.map((event, index) => [
        typeText(sayOfEvents(visit.language), event.type),
        time(visit, event.created),
        deliveryTexts(visit, event, deliveries[index] ?? []),
      ]),
      empty: html``,
    }),
  );
}

function deliveryTexts(visit: Visit, event: Event, deliveries: readonly Delivery[]): Html | string {
  const say = sayIn(visit.language);
  if (event.isInternal) return say("internal");
  if (deliveries.length === 0) return say("deliveries_none");
  const items = deliveries.map(({ status, attemptCount, lastStatusCode }) => {
    const [tone, word] = DELIVERIES[status] ?? ["plain", "delivery_pending"];
    const code = lastStatusCode === undefined ? "" : ` (HTTP ${lastStatusCode})`;
    return html`<li>${badge(tone, say(word))} ${say("attempts", { count: attemptCount })}${code}</li>`;
  });
  return html`<ul class="plain">
    ${items}
  </ul>`;
}

/** The books of a payment, line by line. */
export function entriesCard(visit: Visit, entries: readonly LedgerEntry[]): Html {
  const say = sayIn(visit.language);
  const side = (amount: bigint, currency: string): string =>
    amount === 0n ? "" : visit.format.money(amount, currency);
  const rows = entries.flatMap(({ kind, bookedAt, lines }) =>
    lines.map(({ account, currency, debit, credit }) => [
      accountText(visit, account),
      say(kind === LedgerEntryKind.SETTLEMENT ? "entry_settlement" : "entry_payment"),
      time(visit, bookedAt),
      side(debit, currency),
      side(credit, currency),
    ]),
  );
  return card(
    say("entries"),
    table({
      caption: say("entries"),
      columns: [
        { title: say("account") },
        { title: say("entry") },
        { title: say("event_time") },
        { title: say("debit"), isNumber: true },
        { title: say("credit"), isNumber: true },
      ],
      rows,
      empty: html`<p>${say("entries_none")}</p>`,
    }),
  );
}
