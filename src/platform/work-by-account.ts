import { setTimeout as passes } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import type { Found } from "./sweep.ts";
import { inTurns } from "./tenant-turns.ts";

/** A row whose work asks a provider. Without an account it counts for its tenant. */
export interface AccountRow extends Found {
  readonly accountId: string | null;
}

/** Whose rows are not looked for. */
export interface Excepted {
  readonly accounts: readonly string[];
  readonly tenants: readonly string[];
}

export interface WorkByAccountDeps<Row extends AccountRow> {
  readonly clock: Clock;
  /** Maximum number of an account's rows at a time. */
  readonly places: number;
  /** Returns up to `limit` due rows, the first due first. Locks none. */
  readonly find: (limit: number, except: Excepted) => Promise<Row[]>;
  /** Takes those of a tenant's rows that are still due and not locked: they are not due for a while. */
  readonly take: (tenantId: string, rows: readonly Row[]) => Promise<Row[]>;
  readonly idOf: (row: Row) => string;
  readonly run: (row: Row) => Promise<unknown>;
  /** Returns true for a failure by time or connection: several in a row pause the account. */
  readonly isOutage: (error: unknown) => boolean;
  /** Maximum length of a pause; 300 seconds unless given. */
  readonly pauseMsMax?: number;
  /** Gets the failures of work for which no round waits any more. */
  readonly onLateFault: (error: unknown) => void;
  /** The message of a round's failure. */
  readonly failure: string;
}

interface Account {
  running: number;
  /** Outages since the last success. */
  outages: number;
  /** In the business clock. */
  pausedUntilMs: number;
  /** In the process's own clock. */
  pausedAtMs: number;
}

interface Work {
  readonly tenantId: string;
  readonly startedMs: number;
  readonly faults: unknown[];
  isLate: boolean;
}

const FOUND_MAX = 100;
// Rows of so many tenants are found, however many rows the first of them have.
const FINDS_MAX = 8;
// Of all tenants, and of one. Slow work does not count: it would keep the places of others.
const PLACES_MAX = 32;
const TENANT_PLACES_MAX = 16;
const SLOW_MS = 5000;
const POLL_MS = 500;
const ROUND_MS_MAX = 30_000;
const FAULTS_KEPT = 20;
const OUTAGES_BEFORE_PAUSE = 3;
const PAUSE_MS = 15_000;
const PAUSE_MS_MAX = 300_000;

/** Returns the account of a row, as `find` excepts it. Its rows are of one tenant. */
function accountOf({ tenantId, accountId }: AccountRow): string {
  return accountId ?? tenantId;
}

/**
 * Does due work that asks providers, so that a slow or silent provider of one account delays no other account, and one
 * tenant's accounts no other tenant. An account has a few places, only one after an outage, and none in its pause. A
 * tenant has half of all places at most, and a free one goes to the tenant that has the fewest. Rows that find no place
 * stay due.
 */
export class WorkByAccount<Row extends AccountRow> {
  readonly #deps: WorkByAccountDeps<Row>;
  readonly #accounts = new Map<string, Account>();
  readonly #works = new Map<string, Work>();
  #wake: (() => void)[] = [];

  constructor(deps: WorkByAccountDeps<Row>) {
    this.#deps = deps;
  }

  /** The accounts whose last work ended by an outage. */
  get failing(): string[] {
    return [...this.#accounts].flatMap(([key, { outages }]) => (outages > 0 ? [key] : []));
  }

  /**
   * Starts what is due, and waits for it, but not for slow work. Returns the number of taken rows. Throws the failures
   * of the work that ended.
   */
  async round(): Promise<number> {
    const faults: unknown[] = [];
    const own: Work[] = [];
    const left = new Set<string>();
    const endsMs = performance.now() + ROUND_MS_MAX;
    let count = 0;
    for (;;) {
      const claimed = await this.#claim(left, faults, own);
      count += claimed.count;
      if (claimed.hasMore) continue;
      const now = performance.now();
      const awaited = own.filter((work) => !work.isLate && now - work.startedMs < SLOW_MS);
      if (awaited.length === 0 || now > endsMs) break;
      own.splice(0, own.length, ...awaited);
      await this.#change();
    }
    for (const work of this.#works.values()) if (work.faults === faults) work.isLate = true;
    if (faults.length > 0) throw new AggregateError(faults, this.#deps.failure);
    return count;
  }

  async #claim(
    left: Set<string>,
    faults: unknown[],
    own: Work[],
  ): Promise<{ readonly count: number; readonly hasMore: boolean }> {
    const { take, idOf } = this.#deps;
    if (this.#quick().total >= PLACES_MAX) return { count: 0, hasMore: false };
    const { rows, isAll } = await this.#found(left);
    let count = 0;
    let isChanged = false;
    for (const [key, fitting] of Map.groupBy(this.#fitting(rows), accountOf)) {
      const taken = await take(fitting[0]?.tenantId ?? "", fitting);
      // Another worker has taken or locked them. If they were found again, they would hide others' rows.
      if (taken.length === 0) left.add(key);
      isChanged = true;
      count += taken.length;
      for (const row of taken) {
        if (!this.#works.has(idOf(row))) own.push(this.#start(key, row, faults));
      }
    }
    return { count, hasMore: isChanged && !isAll };
  }

  /** Finds due rows. One tenant's many rows do not hide those of others. */
  async #found(left: ReadonlySet<string>): Promise<{ readonly rows: Row[]; readonly isAll: boolean }> {
    const accounts = [...this.#closed(), ...left];
    const tenants = new Set(this.#fullTenants());
    const rows: Row[] = [];
    for (let count = 0; count < FINDS_MAX; count++) {
      const found = await this.#deps.find(FOUND_MAX, { accounts, tenants: [...tenants] });
      rows.push(...found);
      if (found.length < FOUND_MAX) return { rows, isAll: count === 0 };
      for (const { tenantId } of found) tenants.add(tenantId);
    }
    return { rows, isAll: false };
  }

  /** Returns the rows for which there are places, and those whose work still runs. */
  #fitting(due: readonly Row[]): Row[] {
    const { places, idOf } = this.#deps;
    const [running, others] = [new Array<Row>(), new Array<Row>()];
    for (const row of due) (this.#works.has(idOf(row)) ? running : others).push(row);
    const { total, ofTenants: held } = this.#quick();
    const ofAccount = (key: string): number => {
      const account = this.#accounts.get(key);
      return account ? this.#left(account) : places;
    };
    const free = { count: PLACES_MAX - total, ofTenantMax: TENANT_PLACES_MAX, held, accountOf, ofAccount };
    return [...running, ...inTurns(others, free)];
  }

  #start(key: string, row: Row, faults: unknown[]): Work {
    const { idOf, run, onLateFault } = this.#deps;
    const id = idOf(row);
    const account = this.#accounts.get(key) ?? { running: 0, outages: 0, pausedUntilMs: 0, pausedAtMs: 0 };
    this.#accounts.set(key, account);
    account.running++;
    const work: Work = { tenantId: row.tenantId, startedMs: performance.now(), faults, isLate: false };
    this.#works.set(id, work);
    const ended = (error?: unknown): void => {
      this.#works.delete(id);
      account.running--;
      this.#note(account, work, error);
      if (account.running === 0 && account.outages === 0) this.#accounts.delete(key);
      if (error !== undefined && work.isLate) onLateFault(error);
      else if (error !== undefined && faults.length < FAULTS_KEPT) faults.push(error);
      work.isLate = true;
      for (const wake of this.#wake.splice(0)) wake();
    };
    Promise.try(run, row).then(
      () => ended(),
      (error: unknown) => ended(error ?? new Error("work failed")),
    );
    return work;
  }

  #note(account: Account, { startedMs }: Work, error: unknown): void {
    if (error === undefined || !this.#deps.isOutage(error)) {
      account.outages = 0;
      account.pausedUntilMs = 0;
      return;
    }
    // What was asked before the pause began brings nothing new.
    if (startedMs < account.pausedAtMs) return;
    account.outages++;
    const pauses = account.outages - OUTAGES_BEFORE_PAUSE;
    if (pauses < 0) return;
    account.pausedAtMs = performance.now();
    const { clock, pauseMsMax = PAUSE_MS_MAX } = this.#deps;
    account.pausedUntilMs = clock.nowMs() + Math.min(PAUSE_MS * 2 ** pauses, pauseMsMax);
  }

  /** Returns the accounts whose due rows wait. */
  #closed(): string[] {
    return [...this.#accounts].flatMap(([key, account]) => (this.#left(account) > 0 ? [] : [key]));
  }

  #left({ running, outages, pausedUntilMs }: Account): number {
    if (pausedUntilMs > this.#deps.clock.nowMs()) return 0;
    return (outages > 0 ? 1 : this.#deps.places) - running;
  }

  /** Returns the number of works that are not slow, in total and of each tenant. */
  #quick(): { readonly total: number; readonly ofTenants: ReadonlyMap<string, number> } {
    const now = performance.now();
    const quick = [...this.#works.values()].filter(({ startedMs }) => now - startedMs < SLOW_MS);
    const byTenant = Map.groupBy(quick, ({ tenantId }) => tenantId);
    return {
      total: quick.length,
      ofTenants: new Map([...byTenant].map(([tenantId, works]) => [tenantId, works.length])),
    };
  }

  #fullTenants(): string[] {
    const { ofTenants } = this.#quick();
    return [...ofTenants].flatMap(([tenantId, count]) => (count >= TENANT_PLACES_MAX ? [tenantId] : []));
  }

  /** Waits until some work ends, or for a moment. */
  async #change(): Promise<void> {
    const waited = new AbortController();
    const change = new Promise<void>((resolve) => this.#wake.push(resolve));
    await Promise.race([
      change,
      passes(POLL_MS, undefined, { signal: waited.signal }).catch(() => undefined),
    ]);
    waited.abort();
  }
}
