import type pg from "pg";

/** Drops the e-mails with these one-time links that wait. One that is being sent at this moment may still arrive. */
export async function dropMails(client: pg.PoolClient, linkIds: readonly string[]): Promise<void> {
  if (linkIds.length === 0) return;
  await client.query({
    name: "drop mails",
    text: "DELETE FROM mail WHERE link_id = ANY($1)",
    values: [linkIds],
  });
}
