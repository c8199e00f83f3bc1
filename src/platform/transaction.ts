import type pg from "pg";
import { limitAnswers } from "./limited-client.ts";
import { answerMsFor } from "./statement-limits.ts";

const ignore = (): void => undefined;

/** Does the work on one connection, all of it or nothing. `statementMs` absent: each statement within the usual time. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  statementMs?: number,
): Promise<T> {
  const client = await pool.connect();
  // A connection that dies while it is checked out tells it here, and the query under way fails as well.
  client.on("error", ignore);
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    if (statementMs !== undefined) {
      limitAnswers(client, answerMsFor(statementMs));
      await client.query(
        `SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${statementMs}`,
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

/** Does the work on one connection whose statements may take this long. It may begin and end transactions itself. */
export async function atLength<T>(
  pool: pg.Pool,
  statementMs: number,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  client.on("error", ignore);
  // Without its usual limits nobody else must have it.
  let broken = true;
  try {
    limitAnswers(client, answerMsFor(statementMs));
    await client.query(`SET statement_timeout = ${statementMs}`);
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
