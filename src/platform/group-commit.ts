import pg from "pg";
import type { BatchBounds } from "./batch-bounds.ts";
import { InsertionBatch, type Insertion } from "./batch-statement.ts";
import type { ChangeShapes } from "./change.ts";
import type { CommitResult } from "./claim.ts";
import { StatementSlots } from "./statement-slots.ts";

interface Waiting extends Insertion {
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits insertions. Those that arrive while statements are in progress wait for one of them, and then go together: a
 * statement and its commit cost more than their rows. No insertion waits for others to come.
 */
export class GroupCommit {
  readonly #pool: pg.Pool;
  readonly #shapes: ChangeShapes;
  readonly #bounds: BatchBounds;
  readonly #alone: (insertion: Insertion) => Promise<CommitResult>;
  readonly #names = new Map<string, string>();
  #waiting: Waiting[] = [];
  readonly #slots = new StatementSlots();

  /** `alone` commits one insertion. */
  constructor(
    pool: pg.Pool,
    shapes: ChangeShapes,
    alone: (insertion: Insertion) => Promise<CommitResult>,
    bounds: BatchBounds,
  ) {
    this.#pool = pool;
    this.#shapes = shapes;
    this.#alone = alone;
    this.#bounds = bounds;
  }

  /** Commits an insertion. Errors: those of a statement of its own. */
  async commit(insertion: Insertion): Promise<CommitResult> {
    if (this.#bounds.insertions === 1) return await this.#alone(insertion);
    return await new Promise<CommitResult>((resolve, reject) => {
      this.#waiting.push({ ...insertion, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#slots.free > 0) {
      this.#slots.run(this.#write(this.#take()), () => this.#next());
    }
  }

  /** Takes the first of those that wait. One key is in a statement once. */
  #take(): readonly Waiting[] {
    const share = Math.min(this.#bounds.insertions, Math.ceil(this.#waiting.length / this.#slots.free));
    const taken = new Map<string, Waiting>();
    const left: Waiting[] = [];
    for (const each of this.#waiting) {
      const key = keyOf(each);
      if (taken.size < share && !taken.has(key)) taken.set(key, each);
      else left.push(each);
    }
    this.#waiting = left;
    // In the order of their keys, so that the statements of two processes never wait for each other.
    return taken.size === 1
      ? [...taken.values()]
      : [...taken].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  }

  async #write(members: readonly Waiting[]): Promise<void> {
    if (members.length === 1) {
      await this.#writeAlone(members);
      return;
    }
    for (let next = 0; next < members.length;) {
      const batch = new InsertionBatch(this.#shapes);
      const together: Waiting[] = [];
      while (next < members.length && batch.characters < this.#bounds.characters) {
        const member = members[next++] as Waiting;
        if (added(batch, member)) together.push(member);
      }
      await this.#writeTogether(together, batch);
    }
  }

  async #writeTogether(members: readonly Waiting[], batch: InsertionBatch): Promise<void> {
    if (members.length === 0) return;
    const { text, values } = batch.statement();
    try {
      const statement = { name: this.#nameOf(text), text, values };
      const { rows } = await this.#pool.query<{ number: number }>(statement);
      const won = new Set(rows.map(({ number }) => number));
      for (const [number, { resolve }] of members.entries()) {
        resolve(won.has(number) ? "committed" : "claimed_before");
      }
    } catch (error) {
      // The server has refused one of them, and written nothing: each goes alone, so that only that one fails. After
      // any other error it is not known what is written.
      if (error instanceof pg.DatabaseError) await this.#writeAlone(members);
      else for (const { reject } of members) reject(error);
    }
  }

  async #writeAlone(members: readonly Waiting[]): Promise<void> {
    await Promise.all(
      members.map(async (member) => await this.#alone(member).then(member.resolve, member.reject)),
    );
  }

  #nameOf(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) this.#names.set(text, (name = `batch ${this.#names.size}`));
    return name;
  }
}

function keyOf({ claim: { tenantId, key } }: Insertion): string {
  return `${tenantId} ${key}`;
}

/** Adds a member to the batch. Returns false, and rejects it alone, if its values cannot be written as JSON. */
function added(batch: InsertionBatch, member: Waiting): boolean {
  try {
    batch.add(member);
    return true;
  } catch (error) {
    member.reject(error);
    return false;
  }
}
