import {
  ListPaymentLinksRequestSchema,
  PaymentLinkKind,
  PaymentLinkKindSchema,
  PaymentLinkStatusSchema,
  type PaymentLink,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { enumOptions, Filters } from "../list/filters.ts";
import { countOnPage, list } from "../list/list.ts";
import { badge, shortTime } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { expiryText, linkBadge, linkName, openPage, statusText } from "./show.ts";
import { messagesIn, type Translate } from "./messages.ts";

const filters = new Filters(ListPaymentLinksRequestSchema, messagesIn, {
  query: { kind: "search", label: "search_label", placeholder: "search_help" },
  status: {
    kind: "choice",
    label: "status",
    options: (_, t) => enumOptions(PaymentLinkStatusSchema, (status) => statusText(t, status)),
  },
  kind: {
    kind: "choice",
    label: "kind",
    options: (_, t) =>
      enumOptions(PaymentLinkKindSchema, (kind) =>
        t(kind === PaymentLinkKind.CAMPAIGN ? "campaign" : "single"),
      ),
  },
  from: { kind: "day", label: "from" },
  to: { kind: "day", label: "to" },
});

/** The payment links, newest first. */
export const linksList = list({
  path: "/links",
  permission: "links.read",
  messages: messagesIn,
  title: "title",
  caption: "caption",
  create: { path: "/links/new", permission: "links.write", label: "new" },
  filters,
  fetch: async (visit, { filter, cursor }) => {
    const { data, nextCursor } = await visit.core.links.listPaymentLinks({ ...filter, ...cursor }, visit.as);
    const rows = data.flatMap(({ paymentLink: link, details }) =>
      link ? [{ link, isCampaign: details?.isCampaign ?? false }] : [],
    );
    return { rows, next: nextCursor };
  },
  count: ({ t, found }) => countOnPage(t, found),
  columns: ({ visit, t }) => ({
    name: ({ link }) =>
      html`<a href="${visit.path(`/links/${link.id}`)}">${linkName(t, link)}</a>
        ${link.reference && link.description ? html`<br /><span class="quiet">${link.reference}</span>` : ""}`,
    status: ({ link, isCampaign }) =>
      html`${linkBadge(t, link.status)} ${isCampaign ? badge("plain", t("campaign")) : ""}`,
    amount: ({ link }) => visit.format.money(link.amount, link.currency),
    created: ({ link }) => shortTime(visit, link.created),
    expires: ({ link }) => expiryText(visit, link.expiresAt),
    actions: ({ link }) => actions(visit, t, link),
  }),
  numbers: ["amount"],
  empty: ({ isFiltered, mayCreate }) =>
    isFiltered ? ["no_match"] : ["empty_title", mayCreate ? "empty_text" : "empty_viewer"],
});

function actions(visit: Visit, t: Translate, link: PaymentLink): Html {
  const copied = `address-${link.id}`;
  return html`<span class="row-actions"
    >${openPage(t, link)}
    <input
      class="hidden"
      id="${copied}"
      value="${link.checkoutUrl}"
      readonly
      tabindex="-1"
      aria-hidden="true"
    />
    <button type="button" data-copy="${copied}" data-copied="${visit.t("copied")}" hidden>
      ${t("copy_link")}
    </button></span
  >`;
}
