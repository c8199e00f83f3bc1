import { setTimeout as passes } from "node:timers/promises";
import type { Clock } from "../time/clock.ts";
import { byTenant, type Found } from "./sweep.ts";

/** A row whose work is due. Without an account it counts for its tenant. */
export interface DueRow extends Found {
  readonly accountId: string | null;
}

/** Whose rows are not looked for. */
export interface Excepted {
  readonly accounts: readonly string[];
  readonly tenants: readonly string[];
}

/** The rows that are due. */
export interface DueRows<Row extends DueRow> {
  /** Returns up to `limit` due rows, the first due first. Locks none. */
  readonly find: (limit: number, except: Excepted) => Promise<Row[]>;
  /** Takes those of a tenant's rows that are still due and not locked: they are not due for a while. */
  readonly take: (tenantId: string, rows: readonly Row[]) => Promise<Row[]>;
  readonly idOf: (row: Row) => string;
}

/** Maximum numbers of rows that are worked on at a time. */
export interface Concurrency {
  readonly ofAccount: number;
  /** Of one tenant, and of all; slow work does not count, as it would keep the permits of others. 16 and 32 unless given. */
  readonly ofTenant?: number;
  readonly total?: number;
}

export interface DueWorkDeps<Row extends DueRow> {
  readonly clock: Clock;
  readonly rows: DueRows<Row>;
  readonly concurrency: Concurrency;
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
  readonly running: Set<Work>;
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
  readonly end: Promise<void>;
  isLate: boolean;
}

const FOUND_MAX = 100;
// Rows of so many tenants are found, however many rows the first of them have.
const FINDS_MAX = 8;
const TOTAL = 32;
const OF_TENANT = 16;
const SLOW_MS = 5000;
const POLL_MS = 500;
// Work that ends within this time releases its permits together.
const GATHER_MS = 10;
const ROUND_MS_MAX = 30_000;
const FAULTS_KEPT = 20;
const OUTAGES_BEFORE_PAUSE = 3;
const PAUSE_MS = 15_000;
const PAUSE_MS_MAX = 300_000;

/** Returns the account of a row, as `find` excepts it. */
function accountOf({ tenantId, accountId }: DueRow): string {
  return accountId ?? tenantId;
}

/**
 * Does the work of due rows, so that a slow or silent server of one account delays no other account, and one tenant's
 * accounts no other tenant. An account has a few permits, only one for work that is not slow after an outage, and none in
 * its pause. A free permit
 * goes to the tenant that has the fewest, and of these to the one that has waited longest for its turn. Rows that find no
 * permit stay due.
 */
export class DueWork<Row extends DueRow> {
  readonly #deps: DueWorkDeps<Row>;
  readonly #accounts = new Map<string, Account>();
  readonly #works = new Map<string, Work>();
  readonly #total: number;
  readonly #ofTenant: number;
  /** When each tenant had its latest permit, of those whose rows wait. */
  #turns = new Map<string, number>();
  #turn = 0;
  readonly #rounds = new Set<Promise<unknown>>();
  #wakes: (() => void)[] = [];
  /** True: some work has ended since the last look. */
  #hasEnded = false;
  #isStopped = false;

  constructor(deps: DueWorkDeps<Row>) {
    this.#deps = deps;
    this.#total = deps.concurrency.total ?? TOTAL;
    this.#ofTenant = deps.concurrency.ofTenant ?? OF_TENANT;
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
    const round = this.#round();
    const ended = round.catch(() => undefined).finally(() => this.#rounds.delete(ended));
    this.#rounds.add(ended);
    return await round;
  }

  async #round(): Promise<number> {
    const faults: unknown[] = [];
    const own: Work[] = [];
    const left = new Set<string>();
    const endsMs = performance.now() + ROUND_MS_MAX;
    let count = 0;
    while (!this.#isStopped) {
      const claimed = await this.#claim(left, faults, own);
      count += claimed.count;
      if (claimed.hasMore) continue;
      const now = performance.now();
      const awaited = own.filter((work) => !work.isLate && now - work.startedMs < SLOW_MS);
      if (awaited.length === 0 || now > endsMs) break;
      own.splice(0, own.length, ...awaited);
      await this.#change();
      left.clear();
    }
    for (const work of this.#works.values()) if (work.faults === faults) work.isLate = true;
    if (faults.length > 0) throw new AggregateError(faults, this.#deps.failure);
    return count;
  }

  /** Takes no more rows, and waits for all work. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wakeUp();
    // A round may be taking rows at this moment.
    await Promise.all(this.#rounds);
    await Promise.all([...this.#works.values()].map(({ end }) => end));
  }

  async #claim(
    left: Set<string>,
    faults: unknown[],
    own: Work[],
  ): Promise<{ readonly count: number; readonly hasMore: boolean }> {
    const { take, idOf } = this.#deps.rows;
    this.#hasEnded = false;
    if (this.#quick().total >= this.#total) return { count: 0, hasMore: false };
    const { rows, isAll } = await this.#found(left);
    let count = 0;
    let isChanged = false;
    for (const [tenantId, fitting] of byTenant(this.#fitting(rows))) {
      if (this.#isStopped) break;
      const taken = await take(tenantId, fitting);
      // Another worker has taken or locked the others. Found again at once, they would hide others' rows.
      const accounts = new Set(taken.map(accountOf));
      for (const row of fitting) if (!accounts.has(accountOf(row))) left.add(accountOf(row));
      isChanged = true;
      count += taken.length;
      for (const row of taken) if (!this.#works.has(idOf(row))) own.push(this.#start(row, faults));
    }
    return { count, hasMore: isChanged && !isAll };
  }

  /** Finds due rows. One tenant's many rows do not hide those of others. */
  async #found(left: ReadonlySet<string>): Promise<{ readonly rows: Row[]; readonly isAll: boolean }> {
    const accounts = [...this.#closed(), ...left];
    const tenants = new Set(this.#fullTenants());
    const rows: Row[] = [];
    for (let count = 0; count < FINDS_MAX; count++) {
      const found = await this.#deps.rows.find(FOUND_MAX, { accounts, tenants: [...tenants] });
      rows.push(...found);
      if (found.length < FOUND_MAX) return { rows, isAll: count === 0 };
      for (const { tenantId } of found) tenants.add(tenantId);
    }
    return { rows, isAll: false };
  }

  /** Returns the rows for which there are permits, and those whose work still runs. */
  #fitting(due: readonly Row[]): Row[] {
    const { idOf } = this.#deps.rows;
    const [running, others] = [new Array<Row>(), new Array<Row>()];
    for (const row of due) (this.#works.has(idOf(row)) ? running : others).push(row);
    return [...running, ...this.#inTurns(others)];
  }

  /** Gives the free permits to rows, one after the other. */
  #inTurns(rows: readonly Row[]): Row[] {
    const { total, ofTenants } = this.#quick();
    const held = new Map(ofTenants);
    const left = new Map<string, number>();
    const waiting = new Map([...byTenant(rows)].map(([tenantId, own]) => [tenantId, own.values()]));
    this.#turns = new Map([...this.#turns].filter(([tenantId]) => waiting.has(tenantId)));
    const fitting: Row[] = [];
    while (fitting.length < this.#total - total) {
      const tenantId = this.#nextOf([...waiting.keys()], held);
      if (tenantId === undefined) break;
      const { value: row } = waiting.get(tenantId)?.next() ?? {};
      if (!row) {
        waiting.delete(tenantId);
        continue;
      }
      const account = accountOf(row);
      const permits = left.get(account) ?? this.#left(account);
      if (permits <= 0) continue;
      left.set(account, permits - 1);
      held.set(tenantId, (held.get(tenantId) ?? 0) + 1);
      this.#turns.set(tenantId, ++this.#turn);
      fitting.push(row);
    }
    return fitting;
  }

  /** Returns the tenant that gets the next permit. */
  #nextOf(tenants: readonly string[], held: ReadonlyMap<string, number>): string | undefined {
    const heldBy = (tenantId: string): number => held.get(tenantId) ?? 0;
    const turnOf = (tenantId: string): number => this.#turns.get(tenantId) ?? 0;
    return tenants
      .filter((tenantId) => heldBy(tenantId) < this.#ofTenant)
      .toSorted((one, other) => heldBy(one) - heldBy(other) || turnOf(one) - turnOf(other))[0];
  }

  #start(row: Row, faults: unknown[]): Work {
    const { rows, run } = this.#deps;
    const id = rows.idOf(row);
    const key = accountOf(row);
    const account = this.#accounts.get(key) ?? {
      running: new Set(),
      outages: 0,
      pausedUntilMs: 0,
      pausedAtMs: 0,
    };
    this.#accounts.set(key, account);
    const ended = (error?: unknown): void => {
      this.#works.delete(id);
      account.running.delete(work);
      this.#note(account, work, error);
      if (account.running.size === 0 && account.outages === 0) this.#accounts.delete(key);
      if (error !== undefined && work.isLate) this.#deps.onLateFault(error);
      else if (error !== undefined && faults.length < FAULTS_KEPT) faults.push(error);
      work.isLate = true;
      this.#hasEnded = true;
      this.#wakeUp();
    };
    const end = Promise.try(run, row).then(
      () => ended(),
      (error: unknown) => ended(error ?? new Error("work failed")),
    );
    const work: Work = { tenantId: row.tenantId, startedMs: performance.now(), faults, end, isLate: false };
    this.#works.set(id, work);
    account.running.add(work);
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
    return [...this.#accounts.keys()].filter((key) => this.#left(key) <= 0);
  }

  /** Returns the free permits of an account. */
  #left(key: string): number {
    const { clock, concurrency } = this.#deps;
    const account = this.#accounts.get(key);
    if (!account) return concurrency.ofAccount;
    const { running, outages, pausedUntilMs } = account;
    if (pausedUntilMs > clock.nowMs()) return 0;
    const free = concurrency.ofAccount - running.size;
    if (outages === 0) return free;
    const now = performance.now();
    return [...running].some(({ startedMs }) => now - startedMs < SLOW_MS) ? 0 : Math.min(1, free);
  }

  /** Returns the number of works that are not slow, in total and of each tenant. */
  #quick(): { readonly total: number; readonly ofTenants: ReadonlyMap<string, number> } {
    const now = performance.now();
    const quick = [...this.#works.values()].filter(({ startedMs }) => now - startedMs < SLOW_MS);
    const ofTenants = [...byTenant(quick)].map(([tenantId, works]) => [tenantId, works.length] as const);
    return { total: quick.length, ofTenants: new Map(ofTenants) };
  }

  #fullTenants(): string[] {
    const { ofTenants } = this.#quick();
    return [...ofTenants].flatMap(([tenantId, count]) => (count >= this.#ofTenant ? [tenantId] : []));
  }

  #wakeUp(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }

  /** Waits until some work ends, or for a moment. */
  async #change(): Promise<void> {
    if (!this.#hasEnded && !this.#isStopped) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wakes.push(resolve);
      const timer = setTimeout(resolve, POLL_MS);
      await promise;
      clearTimeout(timer);
    }
    await passes(GATHER_MS);
  }
}
