import {
  Leg,
  ListMatchesRequestSchema,
  type Match,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { Filters } from "../list/filters.ts";
import { list } from "../list/list.ts";
import { badge, card, facts, shortId } from "../parts/show.ts";
import { rowTable, type Columns } from "../parts/table.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { lineTable, sideText } from "./lines.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { accountName, accountOptions, ruleText } from "./words.ts";

const PAGE = 20;

/** All matches, latest day first. */
const matchList = list({
  path: "/reconciliation/matches",
  permission: "reconciliation.read",
  messages: messagesIn,
  title: "matches",
  lead: "matches_lead",
  trail: { path: "/reconciliation", title: "title" },
  filters: new Filters(ListMatchesRequestSchema, messagesIn, {
    from: { kind: "day", label: "from" },
    to: { kind: "day", label: "to" },
    account: { kind: "choice", field: "accountId", label: "account", options: accountOptions },
  }),
  fetch: async ({ core, as }, { filter, cursor }) => {
    const { matches, nextCursor } = await core.reconciliation.listMatches(
      { ...filter, ...cursor, limit: PAGE },
      as,
    );
    return { rows: matches, next: nextCursor };
  },
  columns: ({ visit }) => matchColumns(visit),
  numbers: ["lines"],
  empty: () => ["matches_none"],
});

/** Adds the list of matches, and the page of one. */
export function matchRoutes(routes: ConsoleRoutes): void {
  matchList.addTo(routes);
  routes.page("/reconciliation/matches/:id", "reconciliation.read", async (visit) => {
    const { matches } = await visit.core.reconciliation.listMatches(
      { id: visit.part("id"), limit: 1 },
      visit.as,
    );
    const [match] = matches;
    if (!match) throw new Refused("unknown", visit);
    return await visit.show(matchPage(visit, match));
  });
}

function matchColumns(visit: Visit): Columns<MessageKey, Match> {
  const t = messagesIn(visit.language);
  return {
    match: ({ id }) => shortId(visit, id, `/reconciliation/matches/${id}`),
    day: ({ day, isMoved }) => html`${visit.format.day(day)} ${isMoved ? badge("plain", t("moved")) : ""}`,
    leg: ({ leg }) => legText(visit, leg),
    rule: ({ rule }) => ruleText(visit, rule),
    account: ({ accountId }) => (accountId === undefined ? "—" : accountName(visit, accountId)),
    amount: ({ lines }) => amounts(visit, lines),
    lines: ({ lineCount }) => lineCount.toLocaleString(visit.language),
  };
}

/** Returns matches with their rules as a table. */
export function matchTable(visit: Visit, caption: string, matches: readonly Match[]): Html {
  return rowTable(messagesIn(visit.language), {
    caption,
    rows: matches,
    columns: matchColumns(visit),
    numbers: ["lines"],
    empty: html``,
  });
}

/** Returns what the first line of each side says: one of thousands has no room in a row. */
function amounts(visit: Visit, lines: Match["lines"]): Html {
  const first = [...Map.groupBy(lines, ({ side }) => side)].flatMap(([side, [line]]) =>
    line ? [{ side, line }] : [],
  );
  return html`${first.map(
    ({ side, line }) =>
      html`<span class="nowrap"
          >${sideText(visit, side)}: ${visit.format.money(line.amount, line.currency)}</span
        ><br />`,
  )}`;
}

function legText(visit: Visit, leg: Leg): string {
  return messagesIn(visit.language)(leg === Leg.BANK ? "bank_leg" : "books_leg");
}

function matchPage(visit: Visit, match: Match): Html {
  const t = messagesIn(visit.language);
  const { id, day, rule, leg, isMoved, accountId, lines, lineCount } = match;
  const more = lineCount - lines.length;
  return consolePage(visit, {
    title: t("match_title", { id: `…${id.slice(-8)}` }),
    section: "/reconciliation",
    trail: { path: "/reconciliation/matches", title: t("matches") },
    content: html`${card(
      t("match"),
      facts([
        [t("rule"), ruleText(visit, rule)],
        [t("leg"), legText(visit, leg)],
        [
          t("day"),
          html`<a href="${visit.path(`/reconciliation/days/${day}`)}">${visit.format.day(day)}</a>
            ${isMoved ? badge("plain", t("moved")) : ""}`,
        ],
        [t("account"), accountId === undefined ? "—" : accountName(visit, accountId)],
      ]),
    )}
    ${card(
      t("lines"),
      html`${lineTable(visit, t("lines"), lines)}
      ${more > 0 ? html`<p class="quiet">${t("more_lines", { count: more })}</p>` : ""}`,
    )}`,
  });
}
