import type { WordOf } from "../../contract/enum-words.ts";
import type { QuoteOrder as OrderEnum } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { columnsOf } from "../platform/db/columns.ts";
import { Conditions, countRows, type RowOrder } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Cursor } from "../platform/db/keyset-page.ts";
import type { Period } from "../platform/time/period.ts";
import { Quote, type QuoteRow } from "./entities.ts";
import type { QuoteStatus } from "./quote-status.ts";

/** The conditions on quotes of a list; `status` is as of `now`. */
export interface QuoteFilter {
  readonly now: Date;
  readonly status: QuoteStatus | undefined;
  readonly created: Period | undefined;
  /** The id of a quote or intent, or any of these quotes. */
  readonly query: { readonly text: string; readonly quoteIds: readonly string[] } | undefined;
}

/** The orders of quotes, by their words. */
export type QuoteOrder = WordOf<typeof OrderEnum>;

// Their keys.
const ORDERS: Readonly<Record<QuoteOrder, RowOrder>> = {
  created_desc: { key: "q.created_at", direction: "DESC" },
  created_asc: { key: "q.created_at", direction: "ASC" },
  amount_desc: { key: "r.amount_minor", direction: "DESC" },
  amount_asc: { key: "r.amount_minor", direction: "ASC" },
};
const WITH_PRICE = "quote q JOIN price r ON r.tenant_id = q.tenant_id AND r.id = q.price_id";

/**
 * Returns at most `limit` quotes in this order, starting after `after` if given, without their fee strategies: no list shows
 * them, and each may have 64 KB.
 */
export async function listQuotes(
  { pool, orm }: Environment,
  tenantId: string,
  filter: QuoteFilter,
  after: Cursor | undefined,
  limit: number,
  order: QuoteOrder = "created_desc",
): Promise<QuoteRow[]> {
  const where = conditions(tenantId, filter);
  const { key, direction } = ORDERS[order];
  const from = key.startsWith("r.") ? WITH_PRICE : "quote q";
  if (after && order === "created_desc") where.after("q", after);
  else if (after) where.afterRow(from, "q", ORDERS[order], tenantId, after.id);
  const columns = columnsOf({ orm }, Quote, "q", { fee_strategy: "NULL" });
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT ${columns} FROM ${from} WHERE ${where.text}
      ORDER BY ${key} ${direction}, q.id ${direction} LIMIT ${limit}`,
    where.values,
  );
  const em = orm.em.fork();
  return rows.map((row) => em.map(Quote, row));
}

/** Returns the number of quotes that match, at most 1001. */
export async function countQuotes(
  environment: Environment,
  tenantId: string,
  filter: QuoteFilter,
): Promise<number> {
  return await countRows(environment, "quote q", conditions(tenantId, filter));
}

function conditions(tenantId: string, { now, status, created, query }: QuoteFilter): Conditions {
  const where = new Conditions().add("q.tenant_id = $", tenantId);
  if (status === "consumed") where.add("q.consumed_at IS NOT NULL");
  else if (status)
    where.add(`q.consumed_at IS NULL AND q.expires_at ${status === "open" ? ">=" : "<"} $`, now);
  if (created) where.add("q.created_at >= $ AND q.created_at < $", created.from, created.until);
  if (query) {
    const { text, quoteIds } = query;
    where.add("q.id = ANY ($) OR q.payment_intent_id = $", [text, ...quoteIds], text);
  }
  return where;
}
