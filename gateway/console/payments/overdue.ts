import { list } from "../list/list.ts";
import { bothWays, pageOfWhole } from "../list/whole.ts";
import { shortId } from "../parts/show.ts";
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
  sorts: { expected_on: ["expected_asc", "expected_desc"] },
  fetch: async ({ core, as }, asked) =>
    pageOfWhole(
      (await core.ledger.listOverdueReceivables({ limit: SHOWN_MAX }, as)).overdue,
      asked,
      bothWays("expected", ({ expectedOn }) => Date.parse(expectedOn)),
    ),
  total: ({ rowCount }) => BigInt(rowCount),
  totalMax: BigInt(SHOWN_MAX - 1),
  columns: ({ visit }) => ({
    expected_on: ({ expectedOn }) => dayText(visit, expectedOn),
    payment: ({ paymentId }) => shortId(visit, paymentId, `/payments/${paymentId}`),
  }),
  empty: () => ["overdue_none"],
});
