import type pg from "pg";
import type { Environment } from "../platform/db/database.ts";
import type { LineKind } from "../providers/account-statement.ts";
import { bankKey, ourKey, theirKey, type Leg } from "./matching/lines.ts";

type Side = "ours" | "theirs" | "bank";

/** A line of any side, as it is shown. */
export interface FoundLine {
  readonly key: string;
  readonly side: Side;
  /** The provider account, or of the bank's side the bank account. */
  readonly accountId: string;
  readonly id: string;
  readonly kind: LineKind | null;
  readonly day: string;
  readonly amountMinor: bigint;
  readonly text: string;
  readonly paymentId: string | null;
  readonly reference: string | null;
  readonly endToEndId: string | null;
  readonly providerPaymentId: string | null;
  readonly foreignId: string | null;
  readonly installment: number | null;
  readonly booksMatchId: string | null;
  readonly bankMatchId: string | null;
}

type Stored = Omit<FoundLine, "key" | "amountMinor"> & { readonly minor: string };

const OURS = `SELECT 'ours' AS side, account_id AS "accountId", id, kind, day::text AS day, amount_minor::text AS minor,
    id AS text, payment_id AS "paymentId", reference, end_to_end_id AS "endToEndId",
    provider_payment_id AS "providerPaymentId", NULL AS "foreignId", installment, match_id AS "booksMatchId",
    NULL AS "bankMatchId" FROM book_line`;
const THEIRS = `SELECT 'theirs' AS side, account_id AS "accountId", provider_line_id AS id, kind, day::text AS day,
    amount_minor::text AS minor, text, NULL AS "paymentId", reference, end_to_end_id AS "endToEndId",
    provider_payment_id AS "providerPaymentId", provider_line_id AS "foreignId", installment,
    books_match_id AS "booksMatchId", bank_match_id AS "bankMatchId" FROM statement_line`;
const BANK = `SELECT 'bank' AS side, bank_account_id AS "accountId", id, NULL AS kind, day::text AS day,
    amount_minor::text AS minor, text, NULL AS "paymentId", NULL AS reference, NULL AS "endToEndId",
    NULL AS "providerPaymentId", nullif(bank_id, '') AS "foreignId", NULL::int AS installment, NULL AS "booksMatchId",
    match_id AS "bankMatchId" FROM bank_line`;

/** Returns the lines of keys, those that exist, in no order. */
export async function findLines(
  { pool }: Environment,
  tenantId: string,
  keys: readonly string[],
): Promise<FoundLine[]> {
  const parts = keys.map((key) => key.split(" "));
  const ours = parts.filter(([side]) => side === "ours").map(([, ...id]) => id.join(" "));
  const theirs = parts.filter(([side]) => side === "theirs");
  const bank = parts.filter(([side]) => side === "bank");
  const { rows } = await pool.query<Stored>({
    name: "lines of keys",
    text: `${OURS} WHERE tenant_id = $1 AND id = ANY ($2)
      UNION ALL ${THEIRS} JOIN unnest($3::text[], $4::text[], $5::text[]) AS asked (account, line_kind, line_id)
        ON account_id = account COLLATE "C" AND kind = line_kind AND provider_line_id = line_id COLLATE "C"
        WHERE tenant_id = $1
      UNION ALL ${BANK} WHERE tenant_id = $1 AND id = ANY ($6)`,
    values: [
      tenantId,
      ours,
      theirs.map(([, account]) => account ?? ""),
      theirs.map(([, , kind]) => kind ?? ""),
      theirs.map(([, , , ...id]) => id.join(" ")),
      bank.map(([, , id]) => id ?? ""),
    ],
  });
  const wanted = new Set(keys);
  return rows.map(toLine).filter(({ key }) => wanted.has(key));
}

/** Returns the lines of matches. */
export async function findLinesOfMatches(
  { pool }: { readonly pool: Pick<pg.Pool | pg.PoolClient, "query"> },
  tenantId: string,
  matchIds: readonly string[],
): Promise<FoundLine[]> {
  if (matchIds.length === 0) return [];
  const { rows } = await pool.query<Stored>({
    name: "lines of matches",
    text: `${OURS} WHERE tenant_id = $1 AND match_id = ANY ($2)
      UNION ALL ${THEIRS} WHERE tenant_id = $1 AND books_match_id = ANY ($2)
      UNION ALL ${THEIRS} WHERE tenant_id = $1 AND bank_match_id = ANY ($2)
      UNION ALL ${BANK} WHERE tenant_id = $1 AND match_id = ANY ($2)`,
    values: [tenantId, matchIds],
  });
  return rows.map(toLine);
}

/** Returns the match of a line in a leg. */
export function matchOf(line: FoundLine, leg: Leg): string | null {
  return leg === "books" ? line.booksMatchId : line.bankMatchId;
}

function toLine({ minor, ...row }: Stored): FoundLine {
  const amountMinor = BigInt(minor);
  return { ...row, amountMinor, key: keyOf(row) };
}

function keyOf({ side, accountId, id, kind }: Pick<Stored, "side" | "accountId" | "id" | "kind">): string {
  if (side === "ours") return ourKey({ id });
  if (side === "bank") return bankKey({ bankAccountId: accountId, id });
  return theirKey({ accountId, kind: kind ?? "other", id });
}
