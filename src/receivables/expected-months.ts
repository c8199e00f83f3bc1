import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExpectedReceivablesSchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Environment } from "../platform/db/database.ts";

/** Returns what card providers are still to pay by the month of its expected day, the next first. */
export async function expectedMonths(
  { pool }: Environment,
  tenantId: string,
): Promise<MessageInitShape<typeof ExpectedReceivablesSchema>[]> {
  // Of an installment's expected days the last one that was said holds.
  const { rows } = await pool.query<{ month: string | null; minor: string; count: string }>({
    name: "months of receivables",
    text: `SELECT to_char(on_day, 'YYYY-MM') AS month, sum(outstanding)::text AS minor, count(*)::text AS count FROM (
        SELECT sum(CASE f.kind WHEN 'receivable' THEN f.amount_minor ELSE -f.amount_minor END) AS outstanding,
          (array_agg(f.on_day ORDER BY f.number DESC) FILTER (WHERE f.kind = 'receivable'))[1] AS on_day
        FROM receivable_fact f WHERE f.tenant_id = $1 AND EXISTS (SELECT FROM charge c WHERE c.tenant_id = f.tenant_id
          AND c.payment_id = f.payment_id AND c.settlement_check_at IS NOT NULL)
        GROUP BY f.payment_id, f.installment
      ) AS installment WHERE outstanding <> 0 GROUP BY 1 ORDER BY 1`,
    values: [tenantId],
  });
  return rows.map(({ month, minor, count }) => ({
    ...(month === null ? {} : { month }),
    amount: BigInt(minor),
    currency: "BRL",
    installmentCount: BigInt(count),
  }));
}
