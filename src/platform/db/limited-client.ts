import pg from "pg";
import { answerMsFor, QUERY_MS } from "./query-limits.ts";

/** The timeouts of a connection in addition to `pg`'s options. */
export interface ClientLimits {
  /** Maximum time without an answer while a query runs. */
  readonly answerMs: number;
  /** Time from the first packet until the server accepts queries. */
  readonly connectMs: number;
}

type Config = pg.ClientConfig & Partial<ClientLimits> & { readonly mayBeReadOnly?: boolean };

/** Thrown if the server does not answer in time. The outcome of the query is unknown. */
class SilentDatabaseError extends Error {
  readonly code = "ETIMEDOUT";
  constructor() {
    super("The database did not answer in time; the connection is dropped.");
  }
}

/** Thrown if the server accepts no writes, such as the standby of a failover. */
class ReadOnlyDatabaseError extends Error {
  readonly code = READ_ONLY_STATE;
  constructor() {
    super("The database takes no writes.");
  }
}

const READ_ONLY_STATE = "25006";
// PostgreSQL reports these at the start of a connection and whenever they change.
const READ_ONLY_SETTINGS: ReadonlySet<string> = new Set(["in_hot_standby", "default_transaction_read_only"]);
/** PostgreSQL truncates longer names, so that two queries could share one name. */
const QUERY_NAME_BYTES_MAX = 63;
const CONNECT_MS = 5000;
const SWEEP_MS = 100;
const KEEP_ALIVE_MS = 10_000;
const IDLE = -1;

const connected = new Set<LimitedClient>();
let sweeper: NodeJS.Timeout | undefined;

/**
 * A connection that is closed if the server is silent for too long, or accepts no writes. `pg`'s own `query_timeout`
 * leaves the connection in the pool with its running query, and creates a timer per query; here one timer
 * checks all connections. It counts its rounds, not the time: a process that was paused has not waited for the server.
 */
export class LimitedClient extends pg.Client {
  readonly #ownAnswerMs: number;
  #roundsMax: number;
  #rounds = IDLE;
  // The settings that are on, and the state with which the server refused a write.
  readonly #readOnlyBy = new Set<string>();

  constructor(config: Config = {}) {
    const { answerMs = answerMsFor(QUERY_MS), connectMs = CONNECT_MS, mayBeReadOnly = false } = config;
    super({
      ...config,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    this.#ownAnswerMs = answerMs;
    this.#roundsMax = roundsIn(answerMs);
    this.on("drain", () => {
      this.#rounds = IDLE;
      if (this.#readOnlyBy.size > 0) this.#drop(new ReadOnlyDatabaseError());
    });
    this.once("connect", () => watch(this));
    this.once("end", () => connected.delete(this));
    this.connection.on("parameterStatus", (setting: { parameterName: string; parameterValue: string }) => {
      if (mayBeReadOnly || !READ_ONLY_SETTINGS.has(setting.parameterName)) return;
      if (setting.parameterValue === "on") this.#noteReadOnly(setting.parameterName);
      else this.#readOnlyBy.delete(setting.parameterName);
    });
    this.connection.on("errorMessage", ({ code }: pg.DatabaseError) => {
      if (code === READ_ONLY_STATE) this.#noteReadOnly(code);
    });
    // Replaces all signatures of the method at once.
    const send = super.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((query: unknown, values: unknown, callback: unknown): unknown => {
      requireShortName((query as { name?: unknown } | null)?.name);
      this.#rounds = 0;
      return send(query, values, callback);
    }) as typeof this.query;
  }

  /** Sets the maximum time of later queries; absent: this connection's default. */
  limit(answerMs: number = this.#ownAnswerMs): void {
    this.#roundsMax = roundsIn(answerMs);
  }

  /** Throws ReadOnlyDatabaseError if the server has reported that it accepts no writes. */
  requireWritable(): void {
    if (this.#readOnlyBy.size > 0) throw new ReadOnlyDatabaseError();
  }

  /** Counts one round of the sweeper. */
  look(): void {
    if (this.#rounds !== IDLE && ++this.#rounds > this.#roundsMax) this.#drop(new SilentDatabaseError());
  }

  #noteReadOnly(by: string): void {
    this.#readOnlyBy.add(by);
    if (this.#rounds === IDLE && connected.has(this)) this.#drop(new ReadOnlyDatabaseError());
  }

  /** Closes it as a broken network would: the query fails, and no pool takes the connection back. */
  #drop(error: Error): void {
    connected.delete(this);
    this.#rounds = IDLE;
    this.connection.stream.destroy(error);
  }
}

/** For pools: refuses a new connection that accepts no writes. */
export function requireWritable(client: pg.ClientBase): void {
  if (client instanceof LimitedClient) client.requireWritable();
}

/** Sets the maximum time of the connection's later queries; absent: its default. */
export function limitAnswers(client: pg.ClientBase, answerMs?: number): void {
  if (client instanceof LimitedClient) client.limit(answerMs);
}

function watch(client: LimitedClient): void {
  connected.add(client);
  sweeper ??= setInterval(() => {
    for (const each of connected) each.look();
    if (connected.size > 0) return;
    clearInterval(sweeper);
    sweeper = undefined;
  }, SWEEP_MS).unref();
}

function roundsIn(milliseconds: number): number {
  return Math.ceil(milliseconds / SWEEP_MS);
}

/** Throws TypeError for the name of a query that PostgreSQL would cut. */
export function requireShortName(name: unknown): void {
  if (typeof name !== "string" || Buffer.byteLength(name) <= QUERY_NAME_BYTES_MAX) return;
  throw new TypeError(`A query's name has at most ${QUERY_NAME_BYTES_MAX} bytes: ${name}`);
}
