import type pg from "pg";
import { dropMails } from "../mail/dropped-mails.ts";
import { update, within, type Change } from "../platform/write/change.ts";
import { removeWithoutTenant } from "./account-ends.ts";
import { Invitation, type InvitationRow } from "./entities.ts";

/** Ends one session. */
export function endSession(tokenHash: string): Change {
  return within(async (client) => {
    await client.query("DELETE FROM session WHERE token_hash = $1", [tokenHash]);
  });
}

/** Ends all sessions of a user, except the one with this hash if given. */
export function endSessionsOf(userId: string, butTokenHash?: string): Change {
  return within(async (client) => {
    await client.query("DELETE FROM session WHERE user_id = $1 AND token_hash IS DISTINCT FROM $2", [
      userId,
      butTokenHash ?? null,
    ]);
  });
}

/** Ends an open link, and drops its e-mail that waits. Of two concurrent ends, the second is decided again. */
export function endLink({ tenantId, id }: InvitationRow, endedAt: Date): Change[] {
  return [
    update(Invitation, { tenantId, id, endedAt: null }, { endedAt }),
    within(async (client) => await dropMails(client, [id])),
  ];
}

/** Ends a tenant's open links made by a user: they would admit others of that user's choice. */
export function endLinksMadeBy(tenantId: string, madeBy: string, endedAt: Date): Change {
  return within(async (client) => {
    await endLinks(client, endedAt, "tenant_id = $2 AND made_by = $3", [tenantId, madeBy]);
  });
}

/** Ends all open resets of a user, those that the user asked for too. */
export function endResetsOf(userId: string, endedAt: Date): Change {
  return within(async (client) => {
    await endLinks(client, endedAt, "user_id = $2", [userId]);
    await client.query("DELETE FROM password_reset WHERE user_id = $1", [userId]);
  });
}

/**
 * Removes a user from a tenant: the membership, the sessions there, and open resets. An account without a tenant goes
 * too: no one can sign in with it, and each one of an address makes its sign-ins slower.
 */
export function endMembership(tenantId: string, userId: string, endedAt: Date): Change {
  return within(async (client) => {
    const whose = [tenantId, userId];
    // Every change of an account locks it first.
    await client.query('SELECT FROM "user" WHERE id = $1 FOR UPDATE', [userId]);
    await client.query("DELETE FROM membership WHERE tenant_id = $1 AND user_id = $2", whose);
    await client.query("DELETE FROM session WHERE tenant_id = $1 AND user_id = $2", whose);
    await endLinks(client, endedAt, "tenant_id = $2 AND user_id = $3", whose);
    await removeWithoutTenant(client, [userId]);
  });
}

/** Ends the open links that a condition on `invitation` finds, and drops their e-mails that wait. */
async function endLinks(
  client: pg.PoolClient,
  endedAt: Date,
  condition: string,
  values: readonly string[],
): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `UPDATE invitation SET ended_at = $1 WHERE ${condition} AND ended_at IS NULL RETURNING id`,
    [endedAt, ...values],
  );
  await dropMails(
    client,
    rows.map(({ id }) => id),
  );
}
