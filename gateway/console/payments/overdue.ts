import { html } from "../../pages/html.ts";
import { list } from "../list/list.ts";
import { dayText } from "./bridge.ts";
import { messagesIn } from "./messages.ts";

const SHOWN_MAX = 100;

/** The payments whose money is overdue at their card provider, the longest overdue first. */
export const overdueList = list({
  path: "/payments/overdue",
  permission: "payments.read",
  messages: messagesIn,
  title: "overdue",
  lead: "overdue_lead",
  trail: { path: "/payments", title: "title" },
  fetch: async ({ core, as }) => ({
    rows: (await core.ledger.listOverdueReceivables({ limit: SHOWN_MAX }, as)).overdue,
  }),
  columns: ({ visit }) => ({
    expected_on: ({ expectedOn }) => dayText(visit, expectedOn),
    payment: ({ paymentId }) =>
      html`<a class="id" href="${visit.path(`/payments/${paymentId}`)}">${paymentId}</a>`,
  }),
  empty: () => ["overdue_none"],
});
