import { LedgerEntryKind, type LedgerEntry } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DeliveryStatus, type Delivery, type Event } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, card, time, type Tone } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { typeText } from "../webhooks/texts.ts";
import { messagesIn as webhookMessagesIn } from "../webhooks/messages.ts";
import { accountText } from "./account.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const EVENTS_MAX = 100;

const DELIVERIES: Readonly<Record<DeliveryStatus, readonly [Tone, MessageKey]>> = {
  [DeliveryStatus.UNSPECIFIED]: ["plain", "delivery_pending"],
  [DeliveryStatus.PENDING]: ["warn", "delivery_pending"],
  [DeliveryStatus.SUCCEEDED]: ["good", "delivery_succeeded"],
  [DeliveryStatus.FAILED]: ["bad", "delivery_failed"],
};

/** Returns the events of a payment, each with its deliveries. */
export async function timeline(visit: Visit, paymentId: string): Promise<Html> {
  const t = messagesIn(visit.language);
  const { core, as } = visit;
  const request = { objectIds: [paymentId], limit: EVENTS_MAX };
  const { events } = await core.webhooks.listObjectEvents(request, as);
  if (events.length === 0) return html``;
  return card(
    t("events"),
    table({
      caption: t("events"),
      columns: [{ title: t("event") }, { title: t("event_time") }, { title: t("deliveries") }],
      rows: events.map(({ event, deliveries }) => [
        typeText(webhookMessagesIn(visit.language), event?.type ?? ""),
        time(visit, event?.created),
        deliveryTexts(visit, event, deliveries),
      ]),
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
    return html`<li>${badge(tone, t(word))} ${t("attempts", { count: attemptCount })}${code}</li>`;
  });
  return html`<ul class="plain">
    ${items}
  </ul>`;
}

/** Returns the ledger entries of a payment, line by line. */
export function entriesCard(visit: Visit, entries: readonly LedgerEntry[]): Html {
  const t = messagesIn(visit.language);
  const side = (amount: bigint, currency: string): string =>
    amount === 0n ? "" : visit.format.money(amount, currency);
  const rows = entries.flatMap(({ kind, bookedAt, lines }) =>
    lines.map(({ account, currency, debit, credit }) => [
      accountText(visit, account),
      t(kind === LedgerEntryKind.SETTLEMENT ? "entry_settlement" : "entry_payment"),
      time(visit, bookedAt),
      side(debit, currency),
      side(credit, currency),
    ]),
  );
  return card(
    t("entries"),
    table({
      caption: t("entries"),
      columns: [
        { title: t("account") },
        { title: t("entry") },
        { title: t("event_time") },
        { title: t("debit"), isNumber: true },
        { title: t("credit"), isNumber: true },
      ],
      rows,
      empty: html`<p>${t("entries_none")}</p>`,
    }),
  );
}
