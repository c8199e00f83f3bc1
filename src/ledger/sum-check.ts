const CODE = "wrong_sum";

/** Compares what `trial-balance.ts` answers from the kept sums with the lines: code, tenant, no payment, and detail. */
export const SUM_CHECK = `SELECT '${CODE}', tenant_id, '', string_agg(concat(account, ' ', currency,
      ' is kept as debits ', coalesce(kept.debit, 0), ', credits ', coalesce(kept.credit, 0),
      ', booked as debits ', coalesce(booked.debit, 0), ', credits ', coalesce(booked.credit, 0)), '; ' ORDER BY account, currency)
    FROM (SELECT tenant_id, account, currency, sum(debit_minor) AS debit, sum(credit_minor) AS credit
      FROM (SELECT tenant_id, account, currency, debit_minor, credit_minor FROM ledger_sum
        UNION ALL SELECT tenant_id, account, currency, debit_minor, credit_minor FROM ledger_unsummed
          WHERE tenant_id IN (SELECT tenant_id FROM ledger_sum)) AS parts
      GROUP BY tenant_id, account, currency) AS kept
    FULL JOIN (SELECT tenant_id, account, currency, sum(debit_minor) AS debit, sum(credit_minor) AS credit
      FROM ledger_line WHERE tenant_id IN (SELECT tenant_id FROM ledger_sum)
      GROUP BY tenant_id, account, currency) AS booked USING (tenant_id, account, currency)
    WHERE (coalesce(kept.debit, 0), coalesce(kept.credit, 0)) <> (coalesce(booked.debit, 0), coalesce(booked.credit, 0))
    GROUP BY tenant_id`;

/**
 * Returns the tenants whose books are right and whose kept sums are not. Sums are not made again of books that are wrong
 * themselves: they may be what shows it.
 */
export function tenantsToSumAgain(
  problems: readonly { readonly code: string; readonly tenantId: string }[],
): string[] {
  const wrong = new Set(problems.filter(({ code }) => code !== CODE).map(({ tenantId }) => tenantId));
  return problems
    .filter(({ code, tenantId }) => code === CODE && !wrong.has(tenantId))
    .map(({ tenantId }) => tenantId);
}
