import type pg from "pg";
import { AuditEntry, type AuditRow } from "../rpc/audit-entry.ts";
import type { BatchBounds } from "./batch-bounds.ts";
import type { GroupedCommit } from "./batch-query.ts";
import { CLAIM_COLUMNS, CLAIM_SQL, claimRow, type Claim, type CommitResult } from "./claim.ts";
import {
  insert,
  type Change,
  type ChangeShapes,
  type GuardChange,
  type InsertChange,
  type RowChange,
} from "./change.ts";
import { GroupCommit } from "./group-commit.ts";
import { semaphoreOf } from "../limits/semaphores.ts";
import { QueryNames } from "../db/query-name.ts";
import { inTransaction } from "../db/transaction.ts";

// The guard of an update, and a unique index: ids are random, so an existing row is another caller's.
const OVERTAKEN: ReadonlySet<string> = new Set(["PL409", "23505"]);

// Of a pool's eight connections. Each transaction is several queries, with its connection idle in between.
const TRANSACTIONS = { total: 6, perKey: 4, waitingPerKey: 512, waitingTotal: 4096 };

/**
 * Writes claim, changes and outcome in one prepared query. The query is its own transaction, unless a change
 * runs a library on the same connection. Returns "claimed_before" if the key is taken, or "overtaken" if an update's
 * row has changed or a unique value is taken; then nothing is written.
 */
export class Committer {
  readonly #pool: pg.Pool;
  readonly #shapes: ChangeShapes;
  readonly #names = new QueryNames("commit");
  readonly #queries = new Map<string, { readonly name?: string; readonly text: string }>();
  readonly #group: GroupCommit;
  readonly #transactions = semaphoreOf(TRANSACTIONS);

  /** `bounds`: of commits that go together. */
  constructor(pool: pg.Pool, shapes: ChangeShapes, bounds: BatchBounds) {
    this.#pool = pool;
    this.#shapes = shapes;
    this.#group = new GroupCommit(
      pool,
      shapes,
      async ({ claim, guards, inserts }) => await this.#writeRows(pool, [...guards, ...inserts], claim),
      bounds,
    );
  }

  /** Writes changes with their audit entry: every commit says whether it has one. No changes have none. */
  async commit(
    decided: readonly Change[],
    entry: AuditRow | undefined,
    claim: Claim | null = null,
  ): Promise<CommitResult> {
    if (decided.length === 0 && claim === null) return "committed";
    const changes = addEntry(decided, entry);
    try {
      const grouped = groupedOf(changes, claim);
      if (grouped) return await this.#group.commit(grouped);
      if (changes.every(isRowChange)) return await this.#writeRows(this.#pool, changes, claim);
      const write = async (): Promise<CommitResult> =>
        await inTransaction(this.#pool, async (client) => await this.#write(client, changes, claim));
      // Very many commits of one tenant leave connections to others.
      return entry === undefined ? await write() : await this.#transactions.run(entry.tenantId, write);
    } catch (error) {
      if (error instanceof Error && "code" in error && OVERTAKEN.has(String(error.code))) return "overtaken";
      throw error;
    }
  }

  /** Writes changes with their audit entry in the current transaction. Throws if the row of an update has changed. */
  async write(client: pg.PoolClient, changes: readonly Change[], entry: AuditRow | undefined): Promise<void> {
    await this.#write(client, addEntry(changes, entry), null);
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
    const values: unknown[] = claim === null ? [] : claimRow(claim);
    const shapes = changes.map((change) => this.#shapes.shapeOf(change, values));
    const key = `${claim === null ? "" : "claim "}${shapes.map(({ id }) => id).join(" ")}`;
    let query = this.#queries.get(key);
    if (!query) {
      const text = queryText(shapes, claim !== null);
      const family = [claim !== null, ...shapes.map((shape) => shape.family)].join(", ");
      query = { ...this.#names.of(text, family), text };
      this.#queries.set(key, query);
    }
    const { rows } = await client.query<{ claimed: number }>({ ...query, values });
    return rows[0]?.claimed === 1 ? "committed" : "claimed_before";
  }
}

function addEntry(changes: readonly Change[], entry: AuditRow | undefined): readonly Change[] {
  return entry && changes.length > 0 ? [...changes, insert(AuditEntry, entry)] : changes;
}

/** Returns undefined if the commit goes alone: it has changes that are more than rows. */
function groupedOf(changes: readonly Change[], claim: Claim | null): GroupedCommit | undefined {
  const guards = changes.filter(isGuard);
  const inserts = changes.filter(isInsert);
  return guards.length + inserts.length < changes.length ? undefined : { claim, guards, inserts };
}

function isInsert(change: Change): change is InsertChange {
  return change.kind === "insert" || change.kind === "insertAll";
}

function isGuard(change: Change): change is GuardChange {
  return change.kind === "update" || change.kind === "hold";
}

function isRowChange(change: Change): change is RowChange {
  return change.kind !== "within";
}

function queryText(shapes: readonly { kind: string; sql: string }[], hasClaim: boolean): string {
  let parameter = hasClaim ? CLAIM_COLUMNS.length : 0;
  const ctes = [`claim AS (${hasClaim ? CLAIM_SQL : "SELECT 1"})`];
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
