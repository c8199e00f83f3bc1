import type { Environment } from "../platform/db/database.ts";
import { findFees } from "./contracted-fees.ts";
import type { Account, BankPath } from "./matching/lines.ts";
import { findReadDays } from "./reading.ts";
import { statedUntil } from "./reading-days.ts";

/** An account that is reconciled, from its first day on. */
export interface RunAccount extends Account {
  readonly firstDay: string;
}

/** Returns the accounts of a tenant whose statements are read, each with its bank account and its fees. */
export async function findRunAccounts(environment: Environment, tenantId: string): Promise<RunAccount[]> {
  const { rows } = await environment.pool.query<{
    id: string;
    firstDay: string;
    bankId: string | null;
    path: BankPath | null;
    bankedUntil: string | null;
  }>({
    name: "accounts to reconcile",
    text: `SELECT reading.account_id AS id, reading.first_day::text AS "firstDay", bank.id AS "bankId", bank.path,
        (SELECT max(day)::text FROM bank_line line
          WHERE line.tenant_id = $1 AND line.bank_account_id = bank.id) AS "bankedUntil"
      FROM statement_reading reading LEFT JOIN bank_account bank
        ON bank.tenant_id = reading.tenant_id AND bank.account_id = reading.account_id
      WHERE reading.tenant_id = $1 ORDER BY reading.account_id`,
    values: [tenantId],
  });
  const fees = Map.groupBy(await findFees(environment, tenantId), ({ accountId }) => accountId);
  return await Promise.all(
    rows.map(async ({ id, firstDay, bankId, path, bankedUntil }) => ({
      id,
      firstDay,
      bank: bankId === null || path === null ? null : { accountId: bankId, path },
      fees: (fees.get(id) ?? []).map(({ brand = null, ...fee }) => ({ ...fee, brand })),
      statedUntil: statedUntil(firstDay, await findReadDays(environment, tenantId, id)),
      bankedUntil,
    })),
  );
}
