import type pg from "pg";
import type { Currency } from "../pricing/fee-rule.ts";
import type { Account } from "./postings.ts";

/** A database's pool, or one of its connections in its place. */
interface Source {
  readonly pool: Pick<pg.PoolClient, "query">;
}

/** Sums of one account in one currency. */
export interface Balance {
  readonly account: Account;
  readonly currency: Currency;
  readonly debitMinor: bigint;
  readonly creditMinor: bigint;
}

interface Sum {
  readonly account: Account;
  readonly currency: Currency;
  readonly debit: string;
  readonly credit: string;
}

/**
 * Returns the balances by currency, then account. A null currency selects both. They are the kept sums and what was added
 * since, in one snapshot; of a tenant without kept sums, all its lines.
 */
export async function trialBalance(
  source: Source,
  tenantId: string,
  currency: string | null,
): Promise<Balance[]> {
  const sums = (await keptSums(source, tenantId)) ?? (await allSums(source, tenantId));
  return sums
    .filter((sum) => currency === null || sum.currency === currency)
    .map(({ account, currency: of, debit, credit }) => ({
      account,
      currency: of,
      debitMinor: BigInt(debit),
      creditMinor: BigInt(credit),
    }));
}

/** Returns undefined if the tenant has no kept sums. */
async function keptSums({ pool }: Source, tenantId: string): Promise<Sum[] | undefined> {
  const { rows } = await pool.query<Sum & { isKept: boolean }>({
    name: "kept sums",
    text: `SELECT account, currency, sum(debit_minor) AS debit, sum(credit_minor) AS credit,
        EXISTS (SELECT FROM ledger_sum WHERE tenant_id = $1) AS "isKept"
      FROM (
        SELECT account, currency, debit_minor, credit_minor FROM ledger_sum WHERE tenant_id = $1
        UNION ALL
        SELECT account, currency, debit_minor, credit_minor FROM ledger_unsummed WHERE tenant_id = $1
      ) AS sums GROUP BY currency, account ORDER BY currency, account`,
    values: [tenantId],
  });
  return rows[0]?.isKept ? rows : undefined;
}

async function allSums({ pool }: Source, tenantId: string): Promise<Sum[]> {
  const { rows } = await pool.query<Sum>({
    name: "sums of all lines",
    text: `SELECT account, currency, sum(debit_minor) AS debit, sum(credit_minor) AS credit FROM ledger_line
      WHERE tenant_id = $1 GROUP BY currency, account ORDER BY currency, account`,
    values: [tenantId],
  });
  return rows;
}
