import type pg from "pg";
import { daysAnnounced } from "../../../contract/certificate-notice.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning } = findingsOf("providers");

/** What is known of the accounts at payment providers, in live mode. */
export interface LiveAccounts {
  /** The active accounts. */
  readonly accounts: readonly {
    readonly id: string;
    readonly profile: string;
    readonly isDemo: boolean;
    /** Null: it has no certificate. */
    readonly certificateEndsAt: Date | null;
    /** Since when its provider was found to call back no more. Null: it was not. */
    readonly interruptedAt: Date | null;
  }[];
  /** Open amounts of money that belong to no charge. */
  readonly unknownCount: number;
  /** The tenants that have open links which none of their accounts can charge. */
  readonly unpayableTenants: readonly string[];
}

/** Returns what is known of the accounts, or undefined while their columns are not there. */
export async function lookAtProviders(client: pg.Client): Promise<LiveAccounts | undefined> {
  const { rows: found } = await client.query(
    `SELECT FROM information_schema.columns
     WHERE table_schema = 'live' AND table_name = 'provider_account' AND column_name = 'callbacks_interrupted_at'`,
  );
  if (found.length === 0) return undefined;
  const { rows } = await client.query<LiveAccounts["accounts"][number]>(
    `SELECT id, profile, is_demo AS "isDemo", certificate_not_after AS "certificateEndsAt",
       callbacks_interrupted_at AS "interruptedAt"
     FROM live.provider_account WHERE state = 'active' ORDER BY certificate_not_after, id`,
  );
  const { rows: unknown } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM live.unknown_money WHERE resolved_at IS NULL AND settled_at IS NULL`,
  );
  const { rows: unpayable } = await client.query<{ id: string }>(
    `SELECT DISTINCT l.tenant_id AS id FROM live.payment_link l
     WHERE l.status = 'active' AND NOT EXISTS (SELECT FROM live.provider_account a
       WHERE a.tenant_id = l.tenant_id AND a.state = 'active' AND a.kind = ANY (l.payment_methods))
     ORDER BY id`,
  );
  return {
    accounts: rows,
    unknownCount: unknown[0]?.count ?? 0,
    unpayableTenants: unpayable.map(({ id }) => id),
  };
}

/** Judges the accounts: their certificates, the queues of their callbacks, money that no charge has, and links that lack one. */
export function judgeProviders(
  { accounts, unknownCount, unpayableTenants }: LiveAccounts,
  nowMs: number,
): Finding[] {
  const found = accounts.flatMap(({ id, profile, certificateEndsAt }): Finding[] => {
    const days = certificateEndsAt ? daysAnnounced(certificateEndsAt.getTime(), nowMs) : undefined;
    if (!certificateEndsAt || days === undefined) return [];
    const when = days === 0 ? "has ended" : days === 1 ? "ends within a day" : `ends within ${days} days`;
    return [
      warning(
        `the certificate of ${id} (${profile}) ${when}, at ${certificateEndsAt.toISOString()}`,
        `Ask the bank for a new one, and then paylink providers rotate ${id} --config FILE.`,
      ),
    ];
  });
  for (const { id, profile, interruptedAt } of accounts) {
    if (!interruptedAt) continue;
    found.push(
      warning(
        `${profile} has stopped to call back for ${id}, as was found at ${interruptedAt.toISOString()}`,
        `Let it reach this service, and then paylink providers verify ${id} --register.`,
      ),
    );
  }
  if (unknownCount > 0) {
    found.push(
      warning(
        `${unknownCount} ${unknownCount === 1 ? "amount" : "amounts"} on accounts of live mode ${unknownCount === 1 ? "belongs" : "belong"} to no charge`,
        "See paylink providers unknown --tenant T --mode live, talk to the payer or the bank, and then paylink providers settle.",
      ),
    );
  }
  if (unpayableTenants.length > 0) {
    found.push(
      warning(
        `no account can charge open live links of ${unpayableTenants.join(", ")}`,
        "Connect an account for a method of these links: paylink providers put --tenant T --mode live.",
      ),
    );
  }
  const demos = accounts.filter(({ isDemo }) => isDemo);
  if (demos.length > 0) {
    found.push(
      warning(
        `${demos.map(({ id }) => id).join(", ")}: a bank on this machine, so live mode is a demo`,
        "Before real money, retire it and leave PROVIDER_ALLOW_LOOPBACK out.",
      ),
    );
  }
  if (found.length > 0) return found;
  const count = accounts.length === 1 ? "1 account" : `${accounts.length} accounts`;
  return [ok(accounts.length === 0 ? "live: none, so its links cannot be paid yet" : `live: ${count}`)];
}
