import type pg from "pg";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { wholeSecond, type Clock } from "../platform/time/clock.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Environment } from "../platform/db/database.ts";
import { sweep, type Found } from "../platform/work/sweep.ts";
import { PaymentLink } from "./entities.ts";
import { recordLinks, type LinkEventDeps } from "./link-events.ts";

// A link has up to 64 KB of metadata, and its event a delivery to each endpoint: more at once would stop the process. A change
// of the tenant's endpoints waits until the events of a transaction are committed, and its later events wait for that change.
const BATCH = 10;

export interface ExpiryDeps extends LinkEventDeps {
  readonly environment: Environment;
  readonly mode: Mode;
  readonly clock: Clock;
}

interface DueLink extends Found {
  readonly id: string;
}

/**
 * Sets links past their time to expired, each once and with its event. Any number of workers may run it at a time.
 * Returns the number of links.
 */
export async function expireDue(deps: ExpiryDeps): Promise<number> {
  const { pool } = deps.environment;
  const now = wholeSecond(deps.clock);
  return await sweep<DueLink>({
    pool,
    batch: BATCH,
    find: async (limit, exceptTenants) => await findDue(pool, now, limit, exceptTenants),
    change: async (client, tenantId, due) => {
      const ids = await lockDue(client, tenantId, due, now);
      if (ids.length > 0) await expire(deps, client, tenantId, ids, now);
      return ids.length;
    },
  });
}

/**
 * Expires a tenant's locked links, and records their events. All of it is read on the transaction's own connection: those that
 * wait for its locks may have all others.
 */
async function expire(
  deps: ExpiryDeps,
  client: pg.PoolClient,
  tenantId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  const { rows } = await client.query<Record<string, unknown>>({
    name: "expire links",
    text: `UPDATE payment_link SET status = 'expired', updated_at = $3 WHERE tenant_id = $1 AND id = ANY ($2)
      RETURNING *`,
    values: [tenantId, ids, now],
  });
  const { environment, mode } = deps;
  const em = environment.orm.em.fork();
  const links = rows.map((row) => em.map(PaymentLink, row));
  const changes = recordLinks(deps, { tenantId, mode }, "expired", links);
  await environment.committer.write(client, changes, NO_ENTRY);
}

/** Returns due links, the longest due first. */
async function findDue(
  pool: pg.Pool,
  now: Date,
  limit: number,
  exceptTenants: readonly string[],
): Promise<DueLink[]> {
  const { rows } = await pool.query<DueLink>({
    name: "find due links",
    text: `SELECT tenant_id AS "tenantId", id FROM payment_link
      WHERE status = 'active' AND expires_at <= $1 AND tenant_id <> ALL ($3) ORDER BY expires_at LIMIT $2`,
    values: [now, limit, exceptTenants],
  });
  return rows;
}

/** Locks those of a tenant's links that are still due and that no other transaction has locked. Returns their ids. */
async function lockDue(
  client: pg.PoolClient,
  tenantId: string,
  due: readonly DueLink[],
  now: Date,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: "lock due links",
    text: `SELECT id FROM payment_link
      WHERE tenant_id = $1 AND id = ANY ($2) AND status = 'active' AND expires_at <= $3
      ORDER BY id FOR UPDATE SKIP LOCKED`,
    values: [tenantId, due.map(({ id }) => id), now],
  });
  return rows.map(({ id }) => id);
}
