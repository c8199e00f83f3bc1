import type { Environment } from "../platform/database.ts";
import { UnknownMoney, type AccountRow, type UnknownMoneyRow } from "./entities.ts";

const LISTED_MAX = 1000;
// The money of an account that is kept without a charge. A bank may report any number.
const UNRESOLVED_MAX = 10_000;

/** Returns the newest money that belongs to no charge: what is open, or what is settled. */
export async function listUnknown(
  { orm }: Environment,
  tenantId: string,
  isSettled: boolean,
): Promise<UnknownMoneyRow[]> {
  const where = { tenantId, resolvedAt: null, settledAt: isSettled ? { $ne: null } : null };
  const orderBy = { receivedAt: "desc", endToEndId: "desc" } as const;
  return await orm.em.fork().find(UnknownMoney, where, { orderBy, limit: LISTED_MAX });
}

/** Returns an amount that belongs to no charge, or null. */
export async function findUnknown(
  { orm }: Environment,
  tenantId: string,
  accountId: string,
  endToEndId: string,
): Promise<UnknownMoneyRow | null> {
  return await orm.em.fork().findOne(UnknownMoney, { tenantId, accountId, endToEndId, resolvedAt: null });
}

/** Returns the money of an account that belonged to no charge so far, the newest first. */
export async function listUnresolved(
  { orm }: Environment,
  { tenantId, id }: Pick<AccountRow, "tenantId" | "id">,
): Promise<UnknownMoneyRow[]> {
  const where = { tenantId, accountId: id, resolvedAt: null };
  return await orm.em
    .fork()
    .find(UnknownMoney, where, { orderBy: { receivedAt: "desc" }, limit: UNRESOLVED_MAX });
}

/** Returns how many more open amounts of money without a charge an account may have. */
export async function roomForUnknown(
  { pool }: Environment,
  { tenantId, id }: Pick<AccountRow, "tenantId" | "id">,
): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: "unknown money of an account",
    text: `SELECT count(*)::int AS count FROM unknown_money
      WHERE tenant_id = $1 AND account_id = $2 AND resolved_at IS NULL AND settled_at IS NULL`,
    values: [tenantId, id],
  });
  return Math.max(0, UNRESOLVED_MAX - (rows[0]?.count ?? 0));
}

/** Adds money to the register. Returns false if it is there already. */
export async function registerUnknown(
  { pool }: Environment,
  row: Omit<UnknownMoneyRow, "resolvedAt" | "settledAt" | "settledBy" | "settlementNote">,
): Promise<boolean> {
  const { tenantId, accountId, endToEndId, txid, amountMinor, receivedAt, createdAt } = row;
  const { rowCount } = await pool.query({
    name: "register unknown money",
    text: `INSERT INTO unknown_money
        (tenant_id, account_id, end_to_end_id, txid, amount_minor, received_at, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    values: [tenantId, accountId, endToEndId, txid, amountMinor, receivedAt, createdAt],
  });
  return rowCount === 1;
}

/** Records that a charge has the money. */
export async function resolveUnknown(
  { pool }: Environment,
  { tenantId, accountId, endToEndId }: UnknownMoneyRow,
  now: Date,
): Promise<void> {
  await pool.query({
    name: "resolve unknown money",
    text: `UPDATE unknown_money SET resolved_at = $4
      WHERE tenant_id = $1 AND account_id = $2 AND end_to_end_id = $3 AND resolved_at IS NULL`,
    values: [tenantId, accountId, endToEndId, now],
  });
}
