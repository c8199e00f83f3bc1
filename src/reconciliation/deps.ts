import type { Mode } from "../platform/rpc/caller.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { FaultLog } from "../platform/rpc/error-interceptor.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { AccountStatement } from "../providers/account-statement.ts";

/** The account of test mode, which has no row of its own. */
export const SANDBOX_ACCOUNT = "sandbox";

/** What the room needs. */
export interface ReconciliationDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly log: FaultLog;
  /** Returns the ids of a tenant's provider accounts, retired ones too. */
  readonly accountsOf: (mode: Mode, tenantId: string) => Promise<readonly string[]>;
  /** Returns an account's statement; undefined: its provider has none, or there is no such account. */
  readonly statementOf: (
    mode: Mode,
    tenantId: string,
    accountId: string,
  ) => Promise<AccountStatement | undefined>;
}
