import { bankName } from "../../../contract/bank-names.ts";
import { html } from "../../pages/html.ts";
import { list } from "../list/list.ts";
import { pageOfWhole } from "../list/whole.ts";
import { time } from "../parts/show.ts";
import { messagesIn } from "./messages.ts";
import { accountNotices, clientText, expiry, isActive, nameOf, stateBadge } from "./views.ts";

/** The accounts of the page's environment, retired ones too. */
export const accountList = list({
  path: "/providers",
  permission: "providers.read",
  messages: messagesIn,
  title: "title",
  sorts: {},
  fetch: async ({ accounts, mode }, asked) =>
    await Promise.resolve({ ...pageOfWhole(accounts, asked), accounts, isLive: mode === "live" }),
  total: ({ rowCount }) => BigInt(rowCount),
  create: {
    path: "/providers/new",
    permission: "providers.write",
    label: "put",
    isFull: ({ accounts, isLive }) =>
      !isLive || new Set(accounts.filter(isActive).map(({ kind }) => kind)).size > 1,
  },
  above: ({ visit, t }) =>
    html`${accountNotices(visit, visit.accounts)}
      <p class="quiet">
        ${visit.mode === "live" ? t("lead", { mode: visit.t("mode_live") }) : t("lead_test")}
      </p>`,
  actions: ({ visit, t }) =>
    html`<a class="button" href="${visit.path("/providers/unknown")}">${t("unknown")}</a>`,
  columns: ({ visit, t }) => ({
    account: (account) =>
      html`<a href="${visit.path(`/providers/${account.id}`)}">${nameOf(visit.language, account)}</a>
        <br /><code class="id quiet">${account.id}</code>`,
    profile: ({ profile }) => bankName(visit.language, profile),
    client: clientText,
    fingerprint: ({ fingerprint }) => html`<code class="id">${fingerprint}</code>`,
    expires: (account) => expiry(visit, t, account),
    verified: ({ verifiedAt }) => time(visit, verifiedAt, t("never")),
    state: (account) => stateBadge(t, account),
  }),
  empty: ({ visit }) => [visit.mode === "live" ? "empty" : "lead_test"],
});
