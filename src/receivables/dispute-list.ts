import { TIME_ZONE } from "../../contract/day.ts";
import type { WordOf } from "../../contract/enum-words.ts";
import type { DisputeOrder as OrderEnum } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { Conditions, countRows, type RowOrder } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
import { Dispute, type DisputeRow } from "./entities.ts";

/** Which disputes are listed. */
export interface DisputeFilter {
  readonly tenantId: string;
  /** Undefined: of all payments. */
  readonly paymentId: string | undefined;
  /** A day: only those that need a response, and may be answered on it. Undefined: all. */
  readonly answerableOn: string | undefined;
}

/** The orders of disputes, by their words. */
type DisputeOrder = WordOf<typeof OrderEnum>;

const OPENED = `coalesce(d.opened_on, (d.created_at AT TIME ZONE '${TIME_ZONE}')::date)`;
const RECORDED: RowOrder = { key: "d.id", direction: "DESC" };
const ORDERS: Readonly<Record<DisputeOrder, RowOrder>> = {
  opened_desc: { key: OPENED, direction: "DESC" },
  opened_asc: { key: OPENED, direction: "ASC" },
  amount_desc: { key: "d.amount_minor", direction: "DESC" },
  amount_asc: { key: "d.amount_minor", direction: "ASC" },
};
const FROM = "dispute d";

/** Returns at most `limit` disputes in this order, else the one recorded last first, starting after `after`. */
export async function listDisputes(
  { pool, orm }: Environment,
  filter: DisputeFilter,
  limit: number,
  after?: string,
  order?: DisputeOrder,
): Promise<DisputeRow[]> {
  const by = order ? ORDERS[order] : RECORDED;
  const where = conditions(filter);
  if (after !== undefined && order) where.afterRow(FROM, "d", by, filter.tenantId, after);
  else if (after !== undefined) where.add("d.id < $", after);
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT d.* FROM ${FROM} WHERE ${where.text} ORDER BY ${by.key} ${by.direction}, d.id ${by.direction} LIMIT ${limit}`,
    where.values,
  );
  const em = orm.em.fork();
  return rows.map((row) => em.map(Dispute, row));
}

/** Returns the id if the tenant has such a dispute. */
export async function findDisputeId(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<string | undefined> {
  return (await orm.em.fork().findOne(Dispute, { tenantId, id }, { fields: ["id"] }))?.id;
}

/** Returns the number of disputes that match, at most 1001. */
export async function countDisputes(environment: Environment, filter: DisputeFilter): Promise<number> {
  return await countRows(environment, FROM, conditions(filter));
}

function conditions({ tenantId, paymentId, answerableOn }: DisputeFilter): Conditions {
  const where = new Conditions().add("d.tenant_id = $", tenantId);
  if (paymentId !== undefined) where.add("d.payment_id = $", paymentId);
  if (answerableOn !== undefined) {
    where.add("d.status = 'needs_response'");
    where.add("d.respond_by IS NULL OR d.respond_by >= $", answerableOn);
  }
  return where;
}
