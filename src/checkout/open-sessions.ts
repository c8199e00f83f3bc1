import type { PaymentLinkRow } from "../links/entities.ts";
import { SESSION_SECONDS } from "../links/link-price.ts";
import { secondsAfter } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { Encryption } from "../platform/encryption.ts";
import { PaylinkError } from "../platform/errors.ts";
import { sweep, type Found } from "../platform/sweep.ts";

// Hexadecimal, of a link alone: 64 bits tell its neighbourhoods apart.
const HASH_DIGITS = 16;
// A full link has as many places again. A neighbourhood may hold this part of those that are left, and a few in any case.
const SHARE = 50;
const SHARE_LEAST = 3;
const FORGOTTEN_BATCH = 500;

type Link = Pick<PaymentLinkRow, "tenantId" | "id">;

/** Returns how many open sessions a neighbourhood may hold of a link that has so many, of which `openMax` make it full. */
export function shareOf(open: number, openMax: number): number {
  const left = 2 * openMax - open;
  return left <= 0 ? 0 : Math.max(SHARE_LEAST, Math.floor(left / SHARE));
}

/** Returns what is kept of a payer's neighbourhood, which says nothing without the data key; empty if it is unknown. */
export function neighbourhoodHash(encryption: Encryption, { id }: Link, neighbourhood: string): string {
  if (neighbourhood === "") return "";
  return encryption.keyedHash(neighbourhood, `neighbourhood of payers of ${id}`).slice(0, HASH_DIGITS);
}

/**
 * Refuses a session of a full link, unless its neighbourhood holds less than its share of the places left. Openings at
 * the same moment may exceed share and bound by their number. Error: quota_exceeded.
 */
export async function requireShare(
  { pool }: Environment,
  { tenantId, id }: Link,
  hash: string,
  now: Date,
  openMax: number,
): Promise<void> {
  const { rows } = await pool.query<{ open: number; held: number }>({
    name: "share of a neighbourhood",
    text: `SELECT (SELECT count(*) FROM (SELECT FROM checkout_session
          WHERE tenant_id = $1 AND link_id = $2 AND created_at > $3
          ORDER BY created_at DESC LIMIT $5) counted)::integer AS open,
        (SELECT count(*) FROM (SELECT FROM checkout_session
          WHERE tenant_id = $1 AND link_id = $2 AND created_at > $3
            AND neighbourhood_hash = $4 AND neighbourhood_hash <> ''
          ORDER BY created_at DESC LIMIT $6) counted)::integer AS held`,
    values: [tenantId, id, secondsAfter(now, -SESSION_SECONDS), hash, 2 * openMax, shareOf(openMax, openMax)],
  });
  const [{ open, held } = { open: 0, held: 0 }] = rows;
  // Payers of unknown neighbourhoods count as one, which has its share already.
  if (hash !== "" && held < shareOf(open, openMax)) return;
  const message = `The link has its limit of ${openMax} open checkout sessions: try again when some have ended.`;
  throw new PaylinkError("quota_exceeded", message);
}

interface PastSession extends Found {
  readonly id: string;
}

/** Forgets the neighbourhoods of sessions with a payment that ended by `until`; the others are removed with theirs. */
export async function forgetNeighbourhoods({ pool }: Environment, until: Date): Promise<number> {
  return await sweep<PastSession>({
    pool,
    batch: FORGOTTEN_BATCH,
    find: async (limit, exceptTenants) => {
      const { rows } = await pool.query<PastSession>({
        name: "find past neighbourhoods",
        text: `SELECT tenant_id AS "tenantId", id FROM checkout_session
          WHERE neighbourhood_hash <> '' AND payment_count > 0 AND expires_at <= $1 AND tenant_id <> ALL ($3)
          ORDER BY expires_at LIMIT $2`,
        values: [until, limit, exceptTenants],
      });
      return rows;
    },
    change: async (client, tenantId, past) => {
      const { rowCount } = await client.query({
        name: "forget neighbourhoods",
        text: `UPDATE checkout_session SET neighbourhood_hash = '' WHERE tenant_id = $1 AND id IN (
            SELECT id FROM checkout_session WHERE tenant_id = $1 AND id = ANY ($2) AND neighbourhood_hash <> ''
            ORDER BY id FOR UPDATE SKIP LOCKED)`,
        values: [tenantId, past.map(({ id }) => id)],
      });
      return rowCount ?? 0;
    },
  });
}
