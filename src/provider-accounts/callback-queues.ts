import type { Mode } from "../platform/rpc/caller.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows, type DueTable } from "../platform/work/due-table.ts";
import { DueWork, type DueRow } from "../platform/work/due-work.ts";
import { isOutage, ProviderFault } from "../providers/provider-fault.ts";
import { profilesOf } from "../providers/registry.ts";
import { callbackAddress, openConfig, type AccountsDeps } from "./deps.ts";
import type { AccountRow } from "./entities.ts";
import type { LiveProviders } from "./live-providers.ts";
import { findAccount } from "./repository.ts";

/** An account whose queue of callbacks is looked at. */
interface DueQueue extends DueRow {
  readonly accountId: string;
}

// Few of the calls that an account has.
const CHECK_SECONDS = 6 * 3600;
// After a fault, and while the queue is interrupted: a person waits to see that it runs again.
const SOON_SECONDS = 3600;
// A worker that does not end within this time counts as dead.
const LEASE = "interval '900 seconds'";

const WITH_QUEUE = profilesOf(({ hasQueue }) => hasQueue);

const DUE_QUEUES: DueTable<DueQueue> = {
  name: "queues of callbacks",
  table: "provider_account",
  key: ["accountId"],
  due: "callbacks_check_at",
  where: `profile = ANY ('{${WITH_QUEUE.join()}}'::text[]) AND state = 'active'`,
  columns: { tenantId: "tenant_id", accountId: "id" },
  taken: `callbacks_check_at = $1::timestamptz + ${LEASE}`,
};

/** Asks providers that stop to call back after failures whether they still do. */
export class CallbackQueues {
  readonly #deps: AccountsDeps;
  readonly #live: LiveProviders;
  readonly #work: Readonly<Record<Mode, DueWork<DueQueue>>>;

  constructor(deps: AccountsDeps, live: LiveProviders) {
    this.#deps = deps;
    this.#live = live;
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
  }

  /** Looks at the queues that are due. Returns their number. Throws the faults of the looks that ended. */
  async checkDue(mode: Mode): Promise<number> {
    return await this.#work[mode].round();
  }

  #workOf(mode: Mode): DueWork<DueQueue> {
    const { environments, clock, log } = this.#deps;
    const environment = environments[mode];
    const now = (): Date => new Date(clock.nowMs());
    return new DueWork({
      clock,
      rows: dueRows(environment.pool, clock, DUE_QUEUES),
      concurrency: { ofAccount: 1 },
      run: async ({ tenantId, accountId }) => {
        const row = await findAccount(environment, tenantId, accountId);
        if (row) await this.#check(environment, row, now());
      },
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "a queue of callbacks could not be looked at"),
      failure: "queues of callbacks could not be looked at",
    });
  }

  async #check(environment: Environment, row: AccountRow, now: Date): Promise<void> {
    const { encryption, callbackBase } = this.#deps;
    try {
      const { isInterrupted } = await this.#live.connect(row);
      if (!isInterrupted) return;
      const url = callbackAddress(callbackBase, await openConfig(encryption, row));
      await noteQueue(environment, row, await isInterrupted(url), now);
    } catch (error) {
      const seconds = error instanceof ProviderFault ? (error.retryAfterSeconds ?? 0) : 0;
      await putOff(environment, row, secondsAfter(now, Math.max(SOON_SECONDS, seconds)));
      throw error;
    }
  }
}

/** Notes whether a provider still calls back. Returns since when it was found not to, or null if it does. */
export async function noteQueue(
  { pool }: Environment,
  { tenantId, id }: Pick<AccountRow, "tenantId" | "id">,
  isInterrupted: boolean,
  now: Date,
): Promise<Date | null> {
  const checkAt = secondsAfter(now, isInterrupted ? SOON_SECONDS : CHECK_SECONDS);
  const { rows } = await pool.query<{ ms: string | null }>({
    name: "note queue of callbacks",
    text: `UPDATE provider_account SET callbacks_check_at = $3,
        callbacks_interrupted_at = CASE WHEN $4 THEN coalesce(callbacks_interrupted_at, $5) END
      WHERE tenant_id = $1 AND id = $2
      RETURNING (extract(epoch FROM callbacks_interrupted_at) * 1000)::int8::text AS ms`,
    values: [tenantId, id, checkAt, isInterrupted, now],
  });
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : new Date(Number(ms));
}

async function putOff({ pool }: Environment, { tenantId, id }: AccountRow, until: Date): Promise<void> {
  await pool.query({
    name: "put off queue of callbacks",
    text: "UPDATE provider_account SET callbacks_check_at = $3 WHERE tenant_id = $1 AND id = $2",
    values: [tenantId, id, until],
  });
}
