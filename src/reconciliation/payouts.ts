import type { ServiceImpl } from "@connectrpc/connect";
import type { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Environment } from "../platform/db/database.ts";
import { Conditions } from "../platform/db/conditions.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import { openPeriodOf } from "../platform/time/period.ts";
import type { ReconciliationDeps } from "./deps.ts";

const LIMIT_DEFAULT = 20;

interface Payout {
  readonly id: string;
  readonly accountId: string;
  readonly amount: bigint;
  readonly currency: "BRL";
  readonly paidOn: string;
  readonly arrivedOn: string | undefined;
}

/** The RPC of what providers paid out, from the lines of their statements. */
export function payoutRpcs({
  operations,
}: ReconciliationDeps): Pick<ServiceImpl<typeof ReconciliationService>, "listPayouts"> {
  return {
    listPayouts: operations.run(async (request, { tenantId, environment }) => {
      const { from, to, limit = LIMIT_DEFAULT, startingAfter } = request;
      // The days of a statement are its provider's own: they are compared as days.
      openPeriodOf(from, to);
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit,
        startingAfter,
        what: "the id of a payout",
        find: (id) => findPayoutId(environment, tenantId, id),
        read: (after, rowCount) => listPayouts(environment, tenantId, { from, to }, rowCount, after),
      });
      return { data: [...rows], hasMore, nextCursor };
    }),
  };
}

function keyOf(id: string): readonly [accountId: string, providerLineId: string] {
  const [accountId = "", ...rest] = id.split(":");
  return [accountId, rest.join(":")];
}

/** Returns the id if the tenant has such a payout. */
async function findPayoutId(
  { pool }: Environment,
  tenantId: string,
  id: string,
): Promise<string | undefined> {
  const { rows } = await pool.query(
    `SELECT FROM statement_line
      WHERE tenant_id = $1 AND account_id = $2 AND kind = 'transfer' AND provider_line_id = $3`,
    [tenantId, ...keyOf(id)],
  );
  return rows.length === 0 ? undefined : id;
}

/** Returns at most `limit` payouts of these days, the latest first, starting after `after`. */
async function listPayouts(
  { pool }: Environment,
  tenantId: string,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  limit: number,
  after: string | undefined,
): Promise<Payout[]> {
  const where = new Conditions().add("line.tenant_id = $", tenantId).add("line.kind = 'transfer'");
  if (from !== undefined) where.add("line.day >= $", from);
  if (to !== undefined) where.add("line.day <= $", to);
  if (after !== undefined) {
    where.add(
      `(line.day, line.account_id, line.provider_line_id) < (SELECT day, account_id, provider_line_id FROM statement_line
        WHERE tenant_id = $ AND account_id = $ AND kind = 'transfer' AND provider_line_id = $)`,
      tenantId,
      ...keyOf(after),
    );
  }
  const { rows } = await pool.query<{
    accountId: string;
    lineId: string;
    minor: string;
    paidOn: string;
    arrivedOn: string | null;
  }>(
    `SELECT line.account_id AS "accountId", line.provider_line_id AS "lineId", (-line.amount_minor)::text AS minor,
        line.day::text AS "paidOn", (SELECT min(bank.day)::text FROM bank_line bank
          WHERE bank.tenant_id = line.tenant_id AND bank.match_id = line.bank_match_id) AS "arrivedOn"
      FROM statement_line line WHERE ${where.text}
      ORDER BY line.day DESC, line.account_id DESC, line.provider_line_id DESC LIMIT ${limit}`,
    where.values,
  );
  return rows.map(({ accountId, lineId, minor, paidOn, arrivedOn }) => ({
    id: `${accountId}:${lineId}`,
    accountId,
    amount: BigInt(minor),
    currency: "BRL",
    paidOn,
    arrivedOn: arrivedOn ?? undefined,
  }));
}
