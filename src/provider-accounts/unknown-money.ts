import type { Environment } from "../platform/db/database.ts";
import type { ReceivedMoney } from "../providers/ports.ts";
import { UnknownMoney, type AccountRow, type UnknownMoneyRow } from "./entities.ts";

const LISTED_MAX = 1000;
// The money of an account that is kept without a charge. A bank may report any number.
const UNRESOLVED_MAX = 10_000;
const PART_ROWS = 200;

/** Money of a statement that no charge had, as its charge is looked for. */
type UnresolvedMoney = Pick<ReceivedMoney, "providerPaymentId" | "reference">;

/** Money that belongs to no charge, as it is shown. */
export type ShownMoney = Omit<UnknownMoneyRow, "tenantId" | "createdAt" | "resolvedAt">;

interface ShownText extends Omit<ShownMoney, "amountMinor" | "receivedAt" | "settledAt"> {
  readonly amountMinor: string;
  readonly receivedMs: number;
  readonly settledMs: number | null;
}

/** Returns the newest money that belongs to no charge: what is open, or what is settled. A thousand entities would take long. */
export async function listUnknown(
  { pool }: Environment,
  tenantId: string,
  isSettled: boolean,
): Promise<ShownMoney[]> {
  const { rows } = await pool.query<ShownText>({
    name: isSettled ? "settled money" : "unknown money",
    text: `SELECT account_id AS "accountId", end_to_end_id AS "endToEndId", txid, amount_minor::text AS "amountMinor",
        (extract(epoch FROM received_at) * 1000)::float8 AS "receivedMs",
        (extract(epoch FROM settled_at) * 1000)::float8 AS "settledMs",
        settled_by AS "settledBy", settlement_note AS "settlementNote"
      FROM unknown_money
      WHERE tenant_id = $1 AND resolved_at IS NULL AND settled_at IS ${isSettled ? "NOT NULL" : "NULL"}
      ORDER BY received_at DESC, end_to_end_id DESC LIMIT ${LISTED_MAX}`,
    values: [tenantId],
  });
  return rows.map(({ amountMinor, receivedMs, settledMs, ...row }) => ({
    ...row,
    amountMinor: BigInt(amountMinor),
    receivedAt: new Date(receivedMs),
    settledAt: settledMs === null ? null : new Date(settledMs),
  }));
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

/**
 * Yields the money of an account that belonged to no charge so far, settled or not, in parts: an account may have very much,
 * and to read all of it at once would keep the process from everything else.
 */
export async function* unresolvedMoney(
  { pool }: Environment,
  { tenantId, id }: Pick<AccountRow, "tenantId" | "id">,
): AsyncGenerator<UnresolvedMoney[]> {
  for (let after = ""; ;) {
    const { rows } = await pool.query<UnresolvedMoney>({
      name: "unresolved money",
      text: `SELECT end_to_end_id AS "providerPaymentId", txid AS reference FROM unknown_money
        WHERE tenant_id = $1 AND account_id = $2 AND end_to_end_id > $3 AND resolved_at IS NULL
        ORDER BY end_to_end_id LIMIT $4`,
      values: [tenantId, id, after, PART_ROWS],
    });
    if (rows.length > 0) yield rows;
    if (rows.length < PART_ROWS) return;
    after = rows.at(-1)?.providerPaymentId ?? "";
  }
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
  { tenantId, id: accountId }: Pick<AccountRow, "tenantId" | "id">,
  endToEndId: string,
  now: Date,
): Promise<void> {
  await pool.query({
    name: "resolve unknown money",
    text: `UPDATE unknown_money SET resolved_at = $4
      WHERE tenant_id = $1 AND account_id = $2 AND end_to_end_id = $3 AND resolved_at IS NULL`,
    values: [tenantId, accountId, endToEndId, now],
  });
}
