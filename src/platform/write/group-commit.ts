import pg from "pg";
import type { BatchBounds } from "./batch-bounds.ts";
import { Batch, type BatchRow, type GroupedCommit } from "./batch-query.ts";
import type { ChangeShapes, GuardShape } from "./change.ts";
import type { CommitResult } from "./claim.ts";
import { QueryNames } from "../db/query-name.ts";
import { QuerySlots } from "../db/query-slots.ts";

interface Waiting {
  readonly commit: GroupedCommit;
  /** Commits with guards of the same shapes go together, those with a key apart from those without. */
  readonly shapes: readonly GuardShape[];
  readonly kind: string;
  /** Its key, if it has one, and the rows that it updates. Each is in a query once. */
  readonly owned: readonly string[];
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits what is one query. Commits that arrive while queries are in progress wait for one of them, and then go
 * together: a query and its commit cost more than their rows. None waits for others to come.
 */
export class GroupCommit {
  readonly #pool: pg.Pool;
  readonly #shapes: ChangeShapes;
  readonly #bounds: BatchBounds;
  readonly #alone: (commit: GroupedCommit) => Promise<CommitResult>;
  readonly #names = new QueryNames("batch");
  #waiting: Waiting[] = [];
  readonly #slots = new QuerySlots();

  /** `alone` writes one commit. */
  constructor(
    pool: pg.Pool,
    shapes: ChangeShapes,
    alone: (commit: GroupedCommit) => Promise<CommitResult>,
    bounds: BatchBounds,
  ) {
    this.#pool = pool;
    this.#shapes = shapes;
    this.#alone = alone;
    this.#bounds = bounds;
  }

  /** Writes a commit. Errors: those of a query of its own. */
  async commit(commit: GroupedCommit): Promise<CommitResult> {
    if (this.#bounds.commits === 1) return await this.#alone(commit);
    const shapes = commit.guards.map((guard) => this.#shapes.guardOf(guard));
    const kind = `${commit.claim === null ? "" : "claim "}${shapes.map(({ id }) => id).join(" ")}`;
    return await new Promise<CommitResult>((resolve, reject) => {
      this.#waiting.push({ commit, shapes, kind, owned: ownedBy(commit, shapes), resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#slots.free > 0) {
      this.#slots.run(this.#write(this.#take()), () => this.#next());
    }
  }

  /** Takes the first of those that wait, with others of its kind. */
  #take(): readonly Waiting[] {
    const share = Math.min(this.#bounds.commits, Math.ceil(this.#waiting.length / this.#slots.free));
    const kind = this.#waiting[0]?.kind;
    const owned = new Set<string>();
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    const repeated: Waiting[] = [];
    for (const each of this.#waiting) {
      if (taken.length === share || each.kind !== kind) left.push(each);
      else if (each.owned.some((one) => owned.has(one))) repeated.push(each);
      else {
        taken.push(each);
        for (const one of each.owned) owned.add(one);
      }
    }
    // Many commits of one row hold up no other kind.
    this.#waiting = left.concat(repeated);
    // In the order of their keys, so that the queries of two processes never wait for each other. Without keys and guards
    // they have no order: a unique value that another process inserts delays them for LOCK_MS.
    return taken.length === 1 ? taken : taken.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  }

  async #write(taken: readonly Waiting[]): Promise<void> {
    if (taken.length === 1) {
      await this.#writeAlone(taken);
      return;
    }
    const alone: Waiting[] = [];
    for (let next = 0; next < taken.length;) {
      const batch = new Batch(this.#shapes, taken[0]?.shapes ?? [], taken[0]?.commit.claim != null);
      const together: Waiting[] = [];
      while (next < taken.length && batch.characters < this.#bounds.characters) {
        const each = taken[next++] as Waiting;
        if (added(batch, each)) together.push(each);
      }
      if (together.length > 0) alone.push(...(await this.#writeTogether(together, batch)));
    }
    await this.#writeAlone(alone);
  }

  /** Returns those that are still to be written. */
  async #writeTogether(members: readonly Waiting[], batch: Batch): Promise<readonly Waiting[]> {
    const { text, family, values } = batch.query();
    try {
      const query = { ...this.#names.of(text, family), text, values };
      const { rows } = await this.#pool.query<BatchRow>(query);
      return rows.flatMap(({ number, result }) => {
        const member = members[number] as Waiting;
        if (result === "alone") return [member];
        member.resolve(result);
        return [];
      });
    } catch (error) {
      // The server has refused one of them, and written nothing: each goes alone, so that only that one fails. After
      // any other error it is not known what is written.
      if (error instanceof pg.DatabaseError) return members;
      for (const { reject } of members) reject(error);
      return [];
    }
  }

  async #writeAlone(members: readonly Waiting[]): Promise<void> {
    await Promise.all(
      members.map(async ({ commit, resolve, reject }) => await this.#alone(commit).then(resolve, reject)),
    );
  }
}

function ownedBy({ claim, guards }: GroupedCommit, shapes: readonly GuardShape[]): string[] {
  const rows = guards.flatMap((guard, index) =>
    guard.kind === "hold" ? [] : [`${shapes[index]?.id} ${Object.values(guard.where).join(" ")}`],
  );
  return claim === null ? rows : [`${claim.tenantId} ${claim.key}`, ...rows];
}

function orderOf({ owned: [first = ""] }: Waiting): string {
  return first;
}

/** Adds a commit to the batch. Returns false, and rejects it alone, if its values cannot be written as JSON. */
function added(batch: Batch, { commit, reject }: Waiting): boolean {
  try {
    batch.add(commit);
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
