import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { profilesOf } from "../providers/registry.ts";

// After a failure what is left unread counts, too. What a provider refuses is told by the number of accounts with it.
const READ_TO = `CASE WHEN s.failure_count > 0
  THEN least(s.swept_to, (s.unread->0->>'from')::timestamptz) ELSE s.swept_to END`;
const RECENT_SECONDS = 6 * 3600;
// Those that list what went back by its own time.
const LISTS_RETURNS = profilesOf(({ statementOf }) => statementOf("card") === "card_returns").join();

/** What is known of all accounts. */
export interface ProviderStanding {
  /** Amounts of money that belong to no charge, and that are not settled. */
  readonly unknownCount: number;
  /** References to no charge in the callbacks of the last six hours. */
  readonly unknownReferenceCount: number;
  /** Returns of the last six hours that no merchant asked for. */
  readonly returnCount: number;
  /** Active accounts whose provider has stopped to call back. */
  readonly interruptedCount: number;
  /** Active accounts with days whose statements were passed over or are left to read. */
  readonly unreadCount: number;
  /** The first end of an active account's certificate; null: there is no active account. */
  readonly certificateEndsAt: Date | null;
  /** Up to when the statements of every active account were read; null: there is no active account. */
  readonly sweptTo: Date | null;
  /**
   * Up to when what went back was read of every active account whose provider lists it by its own time, once a day; null:
   * there is no such account. A reading that fails begins a day earlier.
   */
  readonly returnsSweptTo: Date | null;
}

type Standing = Omit<ProviderStanding, "certificateEndsAt" | "sweptTo" | "returnsSweptTo"> & {
  readonly endsMs: number | null;
  readonly sweptToMs: number | null;
  readonly returnsSweptToMs: number | null;
};

export async function findStanding({ pool }: Environment, now: Date): Promise<ProviderStanding> {
  const { rows } = await pool.query<Standing>({
    name: "standing of providers",
    text: `SELECT
        (SELECT count(*)::int FROM unknown_money WHERE resolved_at IS NULL AND settled_at IS NULL) AS "unknownCount",
        (SELECT coalesce(sum(unknown_count), 0)::int FROM provider_callback
          WHERE due_at IS NULL AND created_at > $1) AS "unknownReferenceCount",
        (SELECT count(*)::int FROM refund
          WHERE provider_return_id IS NOT NULL AND created_at > $1) AS "returnCount",
        (SELECT count(*)::int FROM provider_account
          WHERE state = 'active' AND callbacks_interrupted_at IS NOT NULL) AS "interruptedCount",
        (SELECT count(DISTINCT a.id)::int FROM provider_sweep s
          JOIN provider_account a ON a.tenant_id = s.tenant_id AND a.id = s.account_id
          WHERE s.unread <> '[]' AND a.state = 'active') AS "unreadCount",
        (SELECT extract(epoch FROM min(certificate_not_after))::float8 * 1000 FROM provider_account
          WHERE state = 'active') AS "endsMs",
        (SELECT extract(epoch FROM min(${READ_TO}))::float8 * 1000 FROM provider_sweep s
          JOIN provider_account a ON a.tenant_id = s.tenant_id AND a.id = s.account_id
          WHERE s.kind = 'received' AND a.state = 'active') AS "sweptToMs",
        (SELECT extract(epoch FROM min(${READ_TO}))::float8 * 1000 FROM provider_sweep s
          JOIN provider_account a ON a.tenant_id = s.tenant_id AND a.id = s.account_id
          WHERE s.kind = 'returns' AND a.state = 'active' AND a.profile = ANY ('{${LISTS_RETURNS}}'::text[])) AS "returnsSweptToMs"`,
    values: [secondsAfter(now, -RECENT_SECONDS)],
  });
  const [row] = rows;
  const { unknownCount = 0, unknownReferenceCount = 0, returnCount = 0 } = row ?? {};
  const { interruptedCount = 0, unreadCount = 0 } = row ?? {};
  const { endsMs = null, sweptToMs = null, returnsSweptToMs = null } = row ?? {};
  return {
    unknownCount,
    unknownReferenceCount,
    returnCount,
    interruptedCount,
    unreadCount,
    certificateEndsAt: timeOf(endsMs),
    sweptTo: timeOf(sweptToMs),
    returnsSweptTo: timeOf(returnsSweptToMs),
  };
}

function timeOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
