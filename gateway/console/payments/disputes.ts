import { wordsOf } from "../../../contract/enum-words.ts";
import { DisputeOrder, DisputeStatus, type Dispute } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { COUNTED_MAX, list } from "../list/list.ts";
import { badge, card, shortCode, shortId, type Tone } from "../parts/show.ts";
import { rowTable, type Columns } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { dayText } from "./bridge.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const PAGE = 20;
const SHOWN_MAX = 100;
const orders = wordsOf(DisputeOrder);
const NUMBERS = ["amount"] as const;

const STATUSES: Readonly<Record<DisputeStatus, readonly [Tone, MessageKey]>> = {
  [DisputeStatus.UNSPECIFIED]: ["plain", "dispute_under_review"],
  [DisputeStatus.NEEDS_RESPONSE]: ["bad", "dispute_needs_response"],
  [DisputeStatus.UNDER_REVIEW]: ["warn", "dispute_under_review"],
  [DisputeStatus.WON]: ["good", "dispute_won"],
  [DisputeStatus.LOST]: ["plain", "dispute_lost"],
};

/** The contests of card holders, latest first. */
export const disputesList = list({
  path: "/payments/disputes",
  permission: "payments.read",
  messages: messagesIn,
  title: "disputes",
  lead: "disputes_lead",
  trail: { path: "/payments", title: "title" },
  sorts: {
    opened_on: ["opened_desc", "opened_asc"],
    amount: ["amount_desc", "amount_asc"],
  },
  fetch: async ({ core, as }, { cursor, order: word }) => {
    const order = orders.numberOf(word) ?? DisputeOrder.OPENED_DESC;
    const { disputes, nextCursor, disputeCount } = await core.refunds.listDisputes(
      { limit: PAGE, ...cursor, order, isCounted: true },
      as,
    );
    return { rows: disputes, next: nextCursor, disputeCount };
  },
  total: ({ disputeCount = 0 }) => BigInt(disputeCount),
  totalMax: COUNTED_MAX,
  columns: ({ visit }) => ({
    ...columnsOf(visit),
    payment: ({ paymentId }) => shortId(visit, paymentId, `/payments/${paymentId}`),
  }),
  numbers: NUMBERS,
  isOfLines: true,
  empty: () => ["disputes_none"],
});

/** Returns the disputes of a payment, or "" if it has none. */
export async function disputesCard(visit: Visit, paymentId: string): Promise<Html | ""> {
  const { core, as } = visit;
  const { disputes } = await core.refunds.listDisputes({ paymentId, limit: SHOWN_MAX }, as);
  if (disputes.length === 0) return "";
  const t = messagesIn(visit.language);
  return card(
    t("disputes"),
    html`<p class="quiet">${t("disputes_lead")}</p>
      ${rowTable(t, {
        caption: t("disputes"),
        rows: disputes,
        columns: columnsOf(visit),
        numbers: NUMBERS,
        empty: html``,
      })}`,
  );
}

function columnsOf(visit: Visit): Columns<MessageKey, Dispute> {
  const t = messagesIn(visit.language);
  const day = (text: string | undefined): string => (text === undefined ? "—" : dayText(visit, text));
  return {
    dispute: ({ id }) => shortCode(visit, id),
    status: ({ status }) => {
      const [tone, text] = STATUSES[status] ?? ["plain", "dispute_under_review"];
      return badge(tone, t(text));
    },
    respond_by: ({ respondBy }) => day(respondBy),
    opened_on: ({ openedOn }) => day(openedOn),
    dispute_reason: ({ reason }) => (reason === undefined ? "—" : html`<code>${reason}</code>`),
    installment: ({ installment }) => String(installment),
    amount: ({ amount, currency }) => visit.format.money(amount, currency),
  };
}
