import { within, type Change } from "../platform/write/change.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";

const LIFE_SECONDS = 180 * 24 * 60 * 60;
const OF_ONE_PERSON_MAX = 10;

/** Returns the users with this address who have signed in with this browser. */
export async function findKnowing(
  { pool }: Environment,
  browserHash: string,
  email: string,
  now: Date,
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ user_id: string }>({
    name: "users of an address who know a browser",
    text: `SELECT b.user_id FROM known_browser b JOIN "user" u ON u.id = b.user_id
      WHERE b.token_hash = $1 AND u.email = $2 AND b.expires_at > $3`,
    values: [browserHash, email, now],
  });
  return new Set(rows.map((row) => row.user_id));
}

/**
 * Makes a browser known to a user by a new token, which replaces the former one for all its users: a token planted in
 * the browser is worthless. Of a user's browsers, only the ten newest stay known.
 */
export function rememberBrowser(userId: string, former: string, tokenHash: string, now: Date): Change {
  return within(async (client) => {
    await client.query("UPDATE known_browser SET token_hash = $2 WHERE token_hash = $1", [former, tokenHash]);
    await client.query(
      `INSERT INTO known_browser (user_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (user_id, token_hash) DO UPDATE
          SET created_at = excluded.created_at, expires_at = excluded.expires_at`,
      [userId, tokenHash, now, secondsAfter(now, LIFE_SECONDS)],
    );
    await client.query(
      `DELETE FROM known_browser WHERE user_id = $1 AND token_hash IN (
        SELECT token_hash FROM known_browser WHERE user_id = $1
          ORDER BY created_at DESC, (token_hash = $2) DESC OFFSET ${OF_ONE_PERSON_MAX})`,
      [userId, tokenHash],
    );
  });
}

/** Forgets all browsers of a user. */
export function forgetBrowsers(userId: string): Change {
  return within(async (client) => {
    await client.query("DELETE FROM known_browser WHERE user_id = $1", [userId]);
  });
}
