import type pg from "pg";
import { inTransaction } from "../platform/db/transaction.ts";

/** The announced dates of a version of the public contract, as YYYY-MM-DD. */
export interface AnnouncedVersion {
  readonly name: string;
  readonly deprecation?: { readonly deprecatedOn: string; readonly sunsetOn: string };
}

/**
 * Records the announced dates of the API's versions. A sunset may move later, never earlier, and a deprecation cannot
 * be withdrawn. Throws Error, for the operator, and records nothing if a version breaks this.
 */
export async function recordApiVersions(pool: pg.Pool, versions: readonly AnnouncedVersion[]): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query("LOCK TABLE api_version IN SHARE ROW EXCLUSIVE MODE");
    for (const version of versions) await record(client, version);
  });
}

async function record(client: pg.PoolClient, { name, deprecation }: AnnouncedVersion): Promise<void> {
  const { rows } = await client.query<{ sunset_on: string }>(
    "SELECT sunset_on::text FROM api_version WHERE name = $1",
    [name],
  );
  const announced = rows[0]?.sunset_on;
  if (announced !== undefined && (!deprecation || deprecation.sunsetOn < announced)) {
    const now = deprecation ? `on ${deprecation.sunsetOn}` : "not at all";
    throw new Error(
      `API ${name}: its sunset was announced for ${announced} and is now ${now}: never earlier.`,
    );
  }
  if (!deprecation) return;
  await client.query(
    `INSERT INTO api_version (name, deprecated_on, sunset_on) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET sunset_on = excluded.sunset_on`,
    [name, deprecation.deprecatedOn, deprecation.sunsetOn],
  );
}
