import { DeliveryStatus, type Delivery, type Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, card, time, type Tone } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { typeText } from "../webhooks/texts.ts";
import { messagesIn as webhookMessagesIn } from "../webhooks/messages.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const EVENTS_MAX = 100;

const DELIVERIES: Readonly<Record<DeliveryStatus, readonly [Tone, MessageKey]>> = {
  [DeliveryStatus.UNSPECIFIED]: ["plain", "delivery_pending"],
  [DeliveryStatus.PENDING]: ["warn", "delivery_pending"],
  [DeliveryStatus.SUCCEEDED]: ["good", "delivery_succeeded"],
  [DeliveryStatus.FAILED]: ["bad", "delivery_failed"],
};

/** Returns the events of a payment, each with its deliveries. */
export async function eventsCard(visit: Visit, paymentId: string): Promise<Html> {
  const t = messagesIn(visit.language);
  const { core, as } = visit;
  const request = { objectIds: [paymentId], limit: EVENTS_MAX };
  const { events } = await core.webhooks.listObjectEvents(request, as);
  if (events.length === 0) return html``;
  return card(
    t("events"),
    rowTable(t, {
      caption: t("events"),
      rows: events,
      columns: {
        event: ({ event }) => typeText(webhookMessagesIn(visit.language), event?.type ?? ""),
        event_time: ({ event }) => time(visit, event?.created),
        deliveries: ({ event, deliveries }) => deliveryTexts(visit, event, deliveries),
      },
      empty: html``,
    }),
  );
}

function deliveryTexts(
  visit: Visit,
  event: Event | undefined,
  deliveries: readonly Delivery[],
): Html | string {
  const t = messagesIn(visit.language);
  if (event?.isInternal) return t("internal");
  if (deliveries.length === 0) return t("deliveries_none");
  const items = deliveries.map(({ status, attemptCount, lastStatusCode }) => {
    const [tone, word] = DELIVERIES[status] ?? ["plain", "delivery_pending"];
    const code = lastStatusCode === undefined ? "" : ` (HTTP ${lastStatusCode})`;
    return html`<li>
      ${badge(tone, t(word))}
      ${attemptCount === 1 ? t("attempt_one") : t("attempts", { count: attemptCount })}${code}
    </li>`;
  });
  return html`<ul class="plain">
    ${items}
  </ul>`;
}
