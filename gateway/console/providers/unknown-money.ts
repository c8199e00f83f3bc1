import {
  SettleUnknownMoneyRequestSchema,
  type UnknownMoney,
} from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { form } from "../form/form.ts";
import type { Sorts } from "../list/columns.ts";
import { list } from "../list/list.ts";
import { bothWays, pageOfWhole } from "../list/whole.ts";
import { doneNotice } from "../parts/done.ts";
import { cut, facts, shortCode, time } from "../parts/show.ts";
import type { Columns } from "../parts/table.ts";
import { UNRESOLVED, unresolvedTabs } from "../payments/unresolved.ts";
import { codeOf, FormProblem } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";
import { nameOf } from "./views.ts";

const OPEN = "/providers/unknown" as const;
const SETTLED = `${OPEN}/settled`;

interface Shown {
  readonly visit: Visit;
  readonly t: Translate;
}

/** The core lists no more. */
const LISTED_MAX = 1000n;

const sorts: Sorts<"received" | "amount"> = {
  received: ["received_desc", "received_asc"],
  amount: ["amount_desc", "amount_asc"],
};
const comparisons = {
  ...bothWays<UnknownMoney>("received", ({ receivedAt }) => receivedAt?.seconds),
  ...bothWays<UnknownMoney>("amount", ({ amount }) => amount),
};

/** The open money that belongs to no charge. */
const openList = list({
  path: OPEN,
  permission: "providers.read",
  messages: messagesIn,
  title: "unknown",
  lead: "unknown_lead",
  section: UNRESOLVED,
  above: ({ visit, t }) =>
    html`${doneNotice(visit, t, { settled: "settled_done" })} ${unresolvedTabs(visit, OPEN)}`,
  sorts,
  fetch: async ({ core, as }, asked) =>
    pageOfWhole((await core.providers.listUnknownMoney({}, as)).money, asked, comparisons),
  total: ({ rowCount }) => BigInt(rowCount),
  totalMax: LISTED_MAX - 1n,
  actions: ({ visit, t }) => html`<a class="button" href="${visit.path(SETTLED)}">${t("settled_title")}</a>`,
  columns: ({ visit, t }) => ({
    ...moneyColumns({ visit, t }),
    ...(visit.can("providers.write")
      ? { settle: (money: UnknownMoney) => settleLink({ visit, t }, money) }
      : {}),
  }),
  isOfLines: true,
  numbers: ["amount"],
  empty: () => ["unknown_empty"],
});

/** The money that belongs to no charge and that a person has settled. */
const settledList = list({
  path: SETTLED,
  permission: "providers.read",
  messages: messagesIn,
  title: "settled_title",
  lead: "settled_lead",
  section: UNRESOLVED,
  trail: { path: OPEN, title: "unknown" },
  sorts,
  fetch: async ({ core, as }, asked) =>
    pageOfWhole((await core.providers.listUnknownMoney({ isSettled: true }, as)).money, asked, comparisons),
  total: ({ rowCount }) => BigInt(rowCount),
  totalMax: LISTED_MAX - 1n,
  columns: ({ visit, t }) => ({
    ...moneyColumns({ visit, t }),
    settled: ({ settledAt, settledBy = "" }) =>
      html`${time(visit, settledAt)} <span class="quiet">${cut(settledBy)}</span>`,
    note: ({ note = "" }) => cut(note),
  }),
  numbers: ["amount"],
  empty: () => ["settled_empty"],
});

/** Adds the lists of money that belongs to no charge, and the form that marks an amount as settled. */
export function unknownMoney(routes: ConsoleRoutes): void {
  openList.addTo(routes);
  settledList.addTo(routes);
  form(routes, {
    permission: "providers.write",
    section: UNRESOLVED,
    messages: messagesIn,
    asksPassword: true,
    path: "/providers/:id/unknown/:money/settle",
    title: "settle_title",
    text: "settle_text",
    button: "settle",
    request: SettleUnknownMoneyRequestSchema,
    fields: { note: { kind: "text", label: "note", help: "note_help" } },
    load: moneyOf,
    about: (visit, money) => moneyFacts({ visit, t: messagesIn(visit.language) }, money),
    from: (t) => ({ path: OPEN, title: t("unknown") }),
    act: async ({ core, as }, sent) => {
      const { accountId, endToEndId } = sent.loaded;
      const note = sent.text("note");
      try {
        await core.providers.settleUnknownMoney({ accountId, endToEndId, note }, as);
      } catch (error) {
        if (codeOf(error) === "unknown_money_not_found") throw new FormProblem("", sent.t("settle_gone"));
        throw error;
      }
      return `${OPEN}?done=settled`;
    },
  });
}

function moneyColumns({ visit, t }: Shown): Columns<MessageKey, UnknownMoney> {
  return {
    end_to_end_id: ({ endToEndId }) => shortCode(visit, endToEndId),
    txid: ({ txid }) => (txid === undefined ? "—" : shortCode(visit, txid)),
    amount: ({ amount }) => visit.format.money(amount, "BRL"),
    received: ({ receivedAt }) => time(visit, receivedAt),
    account: (money) => accountLink({ visit, t }, money),
  };
}

function moneyFacts({ visit, t }: Shown, money: UnknownMoney): Html {
  return facts([
    [t("end_to_end_id"), html`<code class="id">${money.endToEndId}</code>`],
    [t("txid"), txidText(money)],
    [t("amount"), visit.format.money(money.amount, "BRL")],
    [t("received"), time(visit, money.receivedAt)],
    [t("account"), accountLink({ visit, t }, money)],
  ]);
}

function txidText({ txid }: UnknownMoney): Html | string {
  return txid === undefined ? "—" : html`<code class="id">${txid}</code>`;
}

function accountLink({ visit }: Shown, { accountId }: UnknownMoney): Html {
  const account = visit.accounts.find(({ id }) => id === accountId);
  const name = account ? nameOf(visit.language, account) : accountId;
  return html`<a class="cut" href="${visit.path(`/providers/${accountId}`)}" title="${name}">${name}</a>`;
}

function settleLink({ visit, t }: Shown, { accountId, endToEndId }: UnknownMoney): Html {
  const path = `/providers/${accountId}/unknown/${encodeURIComponent(endToEndId)}/settle`;
  return html`<a class="button" href="${visit.path(path)}"
    >${t("settle")} <span class="hidden">${endToEndId}</span></a
  >`;
}

/** Returns the open money in the path. Throws Refused when the company has no such money. */
async function moneyOf(visit: Visit): Promise<UnknownMoney> {
  const { money } = await visit.core.providers.listUnknownMoney({}, visit.as);
  const found = money.find(
    ({ accountId, endToEndId }) => accountId === visit.part("id") && endToEndId === visit.part("money"),
  );
  if (!found) throw new Refused("unknown", visit);
  return found;
}
