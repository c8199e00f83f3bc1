import type { WordOf } from "../../contract/enum-words.ts";
import type { PaymentLinkOrder } from "../../gen/paylink/links/v1/links_pb.ts";
import { objectsOf } from "../../contract/json-text.ts";
import { columnsOf } from "../platform/db/columns.ts";
import { Conditions, containing, countRows } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
import { RowQuery } from "../platform/db/row-query.ts";
import { noSuch, type PaylinkError } from "../platform/rpc/errors.ts";
import { isId } from "../../contract/ids.ts";
import type { Cursor } from "../platform/db/keyset-page.ts";
import type { Period } from "../platform/time/period.ts";
import { PaymentLink, type PaymentLinkRow, type PaymentLinkStatus } from "./entities.ts";

/** The conditions on links of a list; `status` is as of `now`. */
export interface LinkFilter {
  readonly now: Date;
  readonly status: PaymentLinkStatus | undefined;
  readonly isCampaign: boolean | undefined;
  readonly created: Period | undefined;
  /** The complete id of a link or quote, or a part of reference, description or product_ref. */
  readonly query: string | undefined;
}

// Past its time a link is expired, even if that is not written yet.
const STATUS: Record<PaymentLinkStatus, string> = {
  active: "l.status = 'active' AND (l.expires_at IS NULL OR l.expires_at > $)",
  expired: "l.status = 'expired' OR (l.status = 'active' AND l.expires_at <= $)",
  completed: "l.status = 'completed'",
  canceled: "l.status = 'canceled'",
};

// lower() and LIKE take two thirds of the time of ILIKE.
const TEXTS = ["l.reference", "l.description", "l.product_ref"];
const partOf = (query: string): string[] => TEXTS.map(() => containing(query));

const LINK = new RowQuery(
  "link",
  { link: PaymentLink },
  "FROM payment_link link WHERE tenant_id = $1 AND id = $2",
);

/** Returns the tenant's link, or null if there is none. */
export async function findLink(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<PaymentLinkRow | null> {
  const found = isId("pl", id) ? await LINK.first(environment, [tenantId, id]) : undefined;
  return found?.link ?? null;
}

/** Returns the tenant's link. Error: payment_link_not_found. */
export async function requireLink(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<PaymentLinkRow> {
  const link = await findLink(environment, tenantId, id);
  if (!link) throw linkNotFound();
  return link;
}

/** A row with its metadata as text. */
type LinkText = Record<string, unknown> & { readonly metadata: string };

function columnsWithText(environment: Environment): string {
  return columnsOf(environment, PaymentLink, "l", { metadata: "l.metadata::text" });
}

function fromTexts({ orm }: Environment, rows: readonly LinkText[]): PaymentLinkRow[] {
  const em = orm.em.fork();
  const metadata = objectsOf(rows.map((row) => row.metadata));
  return rows.map((row, index) => {
    const link = em.map(PaymentLink, { ...row, metadata: null });
    return Object.assign(link, { metadata: metadata[index] });
  });
}

function linkNotFound(): PaylinkError {
  return noSuch("payment_link_not_found", "payment link");
}

/** The orders of links, by their words. */
type LinkOrder = WordOf<typeof PaymentLinkOrder>;

// Their keys.
const ORDERS: Readonly<
  Record<LinkOrder, readonly [column: "created_at" | "amount_minor", direction: "ASC" | "DESC"]>
> = {
  created_desc: ["created_at", "DESC"],
  created_asc: ["created_at", "ASC"],
  amount_desc: ["amount_minor", "DESC"],
  amount_asc: ["amount_minor", "ASC"],
};

/** Returns at most `limit` links in this order, starting after `after` if given. */
export async function listLinks(
  environment: Environment,
  tenantId: string,
  filter: LinkFilter,
  after: (Cursor & Pick<PaymentLinkRow, "amountMinor">) | undefined,
  limit: number,
  order: LinkOrder = "created_desc",
): Promise<PaymentLinkRow[]> {
  const where = conditions(tenantId, filter);
  const [column, direction] = ORDERS[order];
  if (after && order === "created_desc") where.after("l", after);
  else if (after) {
    const value = column === "created_at" ? after.createdAt : after.amountMinor;
    where.add(`(l.${column}, l.id) ${direction === "ASC" ? ">" : "<"} ($, $)`, value, after.id);
  }
  const { rows } = await environment.pool.query<LinkText>(
    `SELECT ${columnsWithText(environment)} FROM payment_link l WHERE ${where.text}
      ORDER BY l.${column} ${direction}, l.id ${direction} LIMIT ${limit}`,
    where.values,
  );
  return fromTexts(environment, rows);
}

/** Returns the number of links that match, at most 1001. */
export async function countLinks(
  environment: Environment,
  tenantId: string,
  filter: LinkFilter,
): Promise<number> {
  return await countRows(environment, "payment_link l", conditions(tenantId, filter));
}

function conditions(tenantId: string, filter: LinkFilter): Conditions {
  const { now, status, isCampaign, created, query } = filter;
  const where = new Conditions().add("l.tenant_id = $", tenantId);
  if (status === "active" || status === "expired") where.add(STATUS[status], now);
  else if (status !== undefined) where.add(STATUS[status]);
  if (isCampaign !== undefined) where.add("l.is_campaign = $", isCampaign);
  if (created) where.add("l.created_at >= $ AND l.created_at < $", created.from, created.until);
  if (query && isId("pl", query)) where.add("l.id = $", query);
  else if (query && isId("qt", query)) where.add("l.quote_id = $", query);
  else if (query)
    where.add(TEXTS.map((text) => `lower(${text}) LIKE lower($)`).join(" OR "), ...partOf(query));
  return where;
}
