import type pg from "pg";

/** Commits what `work` wrote if it returns true, else undoes it. */
export async function inTransaction(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<boolean>,
): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const isDone = await work(client);
    await client.query(isDone ? "COMMIT" : "ROLLBACK");
    return isDone;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
