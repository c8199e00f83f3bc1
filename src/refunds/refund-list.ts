import type { WordOf } from "../../contract/enum-words.ts";
import type { RefundOrder as OrderEnum } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { Conditions, countRows, type RowOrder } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
import { Refund, type RefundRow } from "./entities.ts";

/** The orders of refunds, by their words. */
type RefundOrder = WordOf<typeof OrderEnum>;

const ORDERS: Readonly<Record<RefundOrder, RowOrder>> = {
  created_desc: { key: "f.id", direction: "DESC" },
  created_asc: { key: "f.id", direction: "ASC" },
  amount_desc: { key: "f.amount_minor", direction: "DESC" },
  amount_asc: { key: "f.amount_minor", direction: "ASC" },
};
const FROM = "refund f";

/** Returns at most `limit` refunds of a tenant, and returns whose money left, in this order, starting after `after`. */
export async function listAllRefunds(
  { pool, orm }: Environment,
  tenantId: string,
  order: RefundOrder,
  limit: number,
  after?: string,
): Promise<RefundRow[]> {
  const by = ORDERS[order];
  const where = conditions(tenantId);
  if (after !== undefined) where.afterRow(FROM, "f", by, tenantId, after);
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT f.* FROM ${FROM} WHERE ${where.text} ORDER BY ${by.key} ${by.direction}, f.id ${by.direction} LIMIT ${limit}`,
    where.values,
  );
  const em = orm.em.fork();
  return rows.map((row) => em.map(Refund, row));
}

/** Returns the number of all that is listed, at most 1001. */
export async function countAllRefunds(environment: Environment, tenantId: string): Promise<number> {
  return await countRows(environment, FROM, conditions(tenantId));
}

function conditions(tenantId: string): Conditions {
  return new Conditions()
    .add("f.tenant_id = $", tenantId)
    .add("f.origin = 'merchant' OR f.status = 'succeeded'");
}
