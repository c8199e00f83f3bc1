import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type pg from "pg";
import { keyOf, pool, refusal, type Caller } from "./context.ts";
import { CLAIM, REPLAY } from "./statements.ts";
import { inTransaction } from "./transaction.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const KEPT_MS = 86_400_000;

interface Decided {
  readonly answer: object;
  readonly write: (client: pg.PoolClient) => Promise<void>;
}

/** Writes what is decided in one transaction with the claim of the request's key, or repeats the answer of that key. */
export async function writeOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  { tenantId }: Caller,
  statusCode: number,
  decide: () => Promise<Decided>,
): Promise<FastifyReply> {
  const key = keyOf(request);
  const body = JSON.stringify(request.body ?? {});
  const fingerprint = hash("sha256", `${request.method} ${request.url} ${body}`, "buffer");
  let failure: unknown = refusal(409, "conflict", "Written by another request.");
  try {
    const { answer, write } = await decide();
    const text = JSON.stringify(answer);
    const now = new Date();
    const until = new Date(now.getTime() + KEPT_MS);
    const isDone = await inTransaction(pool, async (client) => {
      const values = [tenantId, key, fingerprint, request.id, Buffer.from(text), now, until];
      const { rowCount } = await client.query({ name: "claim", text: CLAIM, values });
      if (rowCount === 0) return false;
      await write(client);
      return true;
    });
    if (isDone)
      return await reply.code(statusCode).header("x-request-id", request.id).type(JSON_TYPE).send(text);
  } catch (error) {
    failure = error;
  }
  // What is refused now may have been done by the same request before.
  const { rows } = await pool.query({ name: "replay", text: REPLAY, values: [tenantId, key] });
  const [stored] = rows;
  if (!stored) throw failure;
  if (!fingerprint.equals(stored.fingerprint)) throw refusal(409, "idempotency_key_reuse", "Used already.");
  reply.header("idempotent-replay", "true").header("x-request-id", stored.request_id);
  return await reply.code(statusCode).type(JSON_TYPE).send(stored.response);
}

/** Throws if a guarded change met a row that is no longer as it was read. */
export function requireChanged({ rowCount }: pg.QueryResult): void {
  if (rowCount !== 1) throw refusal(409, "conflict", "Changed by another request.");
}
