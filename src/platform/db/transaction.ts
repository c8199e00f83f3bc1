import type pg from "pg";
import { limitAnswers } from "./limited-client.ts";
import { answerMsFor } from "./query-limits.ts";

const ignore = (): void => undefined;

/** Runs the work in one transaction. Without `queryMs`, its queries have the pool's timeout. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  queryMs?: number,
): Promise<T> {
  const client = await pool.connect();
  // If the connection breaks while it is checked out, the running query fails as well. An error without a listener
  // would end the process.
  client.on("error", ignore);
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    if (queryMs !== undefined) {
      limitAnswers(client, answerMsFor(queryMs));
      await client.query(
        `SET LOCAL statement_timeout = ${queryMs}; SET LOCAL idle_in_transaction_session_timeout = ${queryMs}`,
      );
    }
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    limitAnswers(client);
    client.off("error", ignore);
    client.release(broken);
  }
}

/**
 * Runs the work on one connection whose queries have this timeout. The work may begin and end transactions itself.
 */
export async function atLength<T>(
  pool: pg.Pool,
  queryMs: number,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  client.on("error", ignore);
  // The connection must not return to the pool without its usual limits.
  let broken = true;
  try {
    limitAnswers(client, answerMsFor(queryMs));
    await client.query(`SET statement_timeout = ${queryMs}`);
    const result = await work(client);
    await client.query("RESET statement_timeout");
    broken = false;
    return result;
  } finally {
    limitAnswers(client);
    client.off("error", ignore);
    client.release(broken);
  }
}
