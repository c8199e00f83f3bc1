import { within, type Change } from "../platform/change.ts";
import { removeWithoutTenant } from "./account-ends.ts";

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

/** Ends a tenant's open links made by a user: they would admit others of that user's choice. */
export function endLinksMadeBy(tenantId: string, madeBy: string, endedAt: Date): Change {
  return within(async (client) => {
    await client.query(
      "UPDATE invitation SET ended_at = $3 WHERE tenant_id = $1 AND made_by = $2 AND ended_at IS NULL",
      [tenantId, madeBy, endedAt],
    );
  });
}

/** Ends all open resets of a user, those that the user asked for too. */
export function endResetsOf(userId: string, endedAt: Date): Change {
  return within(async (client) => {
    await client.query("UPDATE invitation SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL", [
      userId,
      endedAt,
    ]);
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
    await client.query(
      "UPDATE invitation SET ended_at = $3 WHERE tenant_id = $1 AND user_id = $2 AND ended_at IS NULL",
      [...whose, endedAt],
    );
    await removeWithoutTenant(client, [userId]);
  });
}
