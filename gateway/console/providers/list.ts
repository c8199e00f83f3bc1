import { html } from "../../pages/html.ts";
import { list } from "../list/list.ts";
import { time } from "../parts/show.ts";
import { messagesIn } from "./messages.ts";
import { clientText, endNotices, expiry, isActive, nameOf, stateBadge } from "./views.ts";

/** The accounts of the page's environment, retired ones too. */
export const accountList = list({
  path: "/providers",
  permission: "providers.read",
  messages: messagesIn,
  title: "title",
  fetch: async ({ accounts, mode }) => await Promise.resolve({ rows: accounts, isLive: mode === "live" }),
  create: {
    path: "/providers/new",
    permission: "providers.write",
    label: "put",
    isFull: ({ rows, isLive }) => !isLive || rows.some(isActive),
  },
  above: ({ visit, t }) =>
    html`${endNotices(visit, visit.accounts)}
      <p class="quiet">
        ${visit.mode === "live" ? t("lead", { mode: visit.t("mode_live") }) : t("lead_test")}
      </p>`,
  actions: ({ visit, t }) =>
    html`<a class="button" href="${visit.path("/providers/unknown")}">${t("unknown")}</a>`,
  columns: ({ visit, t }) => ({
    account: (account) =>
      html`<a href="${visit.path(`/providers/${account.id}`)}">${nameOf(t, account)}</a> <br /><code
          class="id quiet"
          >${account.id}</code
        >`,
    profile: ({ profile }) => profile,
    client: clientText,
    fingerprint: ({ fingerprint }) => html`<code class="id">${fingerprint}</code>`,
    expires: (account) => expiry(visit, t, account),
    verified: ({ verifiedAt }) => time(visit, verifiedAt, t("never")),
    state: (account) => stateBadge(t, account),
  }),
  empty: ({ visit }) => [visit.mode === "live" ? "empty" : "lead_test"],
});

/** The money that belongs to no charge. */
export const unknownMoneyList = list({
  path: "/providers/unknown",
  permission: "providers.read",
  messages: messagesIn,
  title: "unknown",
  lead: "unknown_lead",
  trail: { path: "/providers", title: "title" },
  fetch: async ({ core, as }) => ({ rows: (await core.providers.listUnknownMoney({}, as)).money }),
  columns: ({ visit, t }) => ({
    end_to_end_id: ({ endToEndId }) => html`<code class="id">${endToEndId}</code>`,
    txid: ({ txid }) => (txid === undefined ? "—" : html`<code class="id">${txid}</code>`),
    amount: ({ amount }) => visit.format.money(amount, "BRL"),
    received: ({ receivedAt }) => time(visit, receivedAt),
    account: ({ accountId }) => {
      const account = visit.accounts.find(({ id }) => id === accountId);
      return html`<a href="${visit.path(`/providers/${accountId}`)}"
        >${account ? nameOf(t, account) : accountId}</a
      >`;
    },
  }),
  numbers: ["amount"],
  empty: () => ["unknown_empty"],
});
