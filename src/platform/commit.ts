import type pg from "pg";
import { AuditEntry, type AuditRow } from "./audit-entry.ts";
import { insert, type Change, type ChangeShapes, type RowChange } from "./change.ts";
import { inTransaction } from "./transaction.ts";

/** The outcome of an operation, as stored for replays: the response's bytes, or an error that the core decided. */
export interface Outcome {
  readonly fingerprint: Buffer;
  readonly requestId: string;
  readonly response: Uint8Array | null;
  readonly error: { code: string; message: string; param: string | null } | null;
}

/** The claim on an idempotency key. It is stored with the outcome in the statement that does the work. */
export interface Claim {
  readonly tenantId: string;
  readonly key: string;
  readonly outcome: Outcome;
  /** True: the response is going to be replaced before the first caller gets it. */
  readonly isAwaited?: boolean;
  readonly now: Date;
  readonly expiresAt: Date;
}

export type CommitResult = "committed" | "claimed_before" | "overtaken";

// The guard of an update, and a unique index: ids are random, so an existing row is another caller's.
const OVERTAKEN: ReadonlySet<string> = new Set(["PL409", "23505"]);
const CLAIM_VALUES = 9;

const CLAIM = `INSERT INTO idempotency (tenant_id, key, fingerprint, request_id, response, error, created_at, expires_at, is_awaited)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (tenant_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, request_id = excluded.request_id,
  response = excluded.response, error = excluded.error, created_at = excluded.created_at, expires_at = excluded.expires_at,
  is_awaited = excluded.is_awaited
WHERE idempotency.expires_at <= excluded.created_at
RETURNING 1`;

/**
 * Writes claim, changes and outcome in one prepared statement. The statement is its own transaction, unless a change
 * runs a library on the same connection. Returns "claimed_before" if the key is taken, or "overtaken" if an update's
 * row has changed or a unique value is taken; then nothing is written.
 */
export class Committer {
  readonly #pool: pg.Pool;
  readonly #shapes: ChangeShapes;
  readonly #statements = new Map<string, { name: string; text: string }>();

  constructor(pool: pg.Pool, shapes: ChangeShapes) {
    this.#pool = pool;
    this.#shapes = shapes;
  }

  /** Writes changes with their audit entry: every commit says whether it has one. No changes have none. */
  async commit(
    decided: readonly Change[],
    entry: AuditRow | undefined,
    claim: Claim | null = null,
  ): Promise<CommitResult> {
    if (decided.length === 0 && claim === null) return "committed";
    const changes = withEntry(decided, entry);
    try {
      if (changes.every(isRowChange)) return await this.#writeRows(this.#pool, changes, claim);
      return await inTransaction(this.#pool, async (client) => await this.#write(client, changes, claim));
    } catch (error) {
      if (error instanceof Error && "code" in error && OVERTAKEN.has(String(error.code))) return "overtaken";
      throw error;
    }
  }

  /** Writes changes with their audit entry in the current transaction. Throws if the row of an update has changed. */
  async write(client: pg.PoolClient, changes: readonly Change[], entry: AuditRow | undefined): Promise<void> {
    await this.#write(client, withEntry(changes, entry), null);
  }

  async #write(
    client: pg.PoolClient,
    changes: readonly Change[],
    claim: Claim | null,
  ): Promise<CommitResult> {
    const result = await this.#writeRows(client, changes.filter(isRowChange), claim);
    if (result === "claimed_before") return result;
    for (const change of changes) if (change.kind === "within") await change.run(client);
    return result;
  }

  async #writeRows(
    client: Pick<pg.PoolClient, "query">,
    changes: readonly RowChange[],
    claim: Claim | null,
  ): Promise<CommitResult> {
    const values: unknown[] = claim === null ? [] : claimValues(claim);
    const shapes = changes.map((change) => this.#shapes.shapeOf(change, values));
    const key = `${claim === null ? "" : "claim "}${shapes.map(({ id }) => id).join(" ")}`;
    let statement = this.#statements.get(key);
    if (!statement) {
      statement = { name: `commit ${this.#statements.size}`, text: statementText(shapes, claim !== null) };
      this.#statements.set(key, statement);
    }
    const { rows } = await client.query<{ claimed: number }>({ ...statement, values });
    return rows[0]?.claimed === 1 ? "committed" : "claimed_before";
  }
}

function withEntry(changes: readonly Change[], entry: AuditRow | undefined): readonly Change[] {
  return entry && changes.length > 0 ? [...changes, insert(AuditEntry, entry)] : changes;
}

function isRowChange(change: Change): change is RowChange {
  return change.kind !== "within";
}

function claimValues({ tenantId, key, outcome, now, expiresAt, isAwaited = false }: Claim): unknown[] {
  const { fingerprint, requestId, response, error } = outcome;
  const stored = [tenantId, key, fingerprint, requestId, response, error && JSON.stringify(error), now];
  return [...stored, expiresAt, isAwaited];
}

function statementText(shapes: readonly { kind: string; sql: string }[], hasClaim: boolean): string {
  let parameter = hasClaim ? CLAIM_VALUES : 0;
  const ctes = [`claim AS (${hasClaim ? CLAIM : "SELECT 1"})`];
  const results = ["(SELECT count(*)::int FROM claim) AS claimed"];
  for (const [index, { kind, sql }] of shapes.entries()) {
    const text = sql.replaceAll("$", () => `$${++parameter}`);
    if (kind === "notify") {
      results.push(`(SELECT ${text} FROM claim)`);
      continue;
    }
    ctes.push(`change${index} AS (${text})`);
    if (kind === "update" || kind === "hold") results.push(guard(index));
  }
  return `WITH ${ctes.join(",\n")}\nSELECT ${results.join(",\n")}`;
}

function guard(index: number): string {
  return `identity.guard(EXISTS (SELECT FROM claim) AND NOT EXISTS (SELECT FROM change${index}))`;
}
