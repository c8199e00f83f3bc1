import type { FastifyBaseLogger } from "fastify";
import { pino, type DestinationStream, type Level, type Logger } from "pino";
import { allowedFields } from "./log-fields.ts";

/** Every text that a log line may have. A line with another text loses it, and is dropped below "warn". */
const MESSAGES: ReadonlySet<unknown> = new Set([
  "request",
  "call",
  "request failed",
  "an answer failed",
  "page failed",
  "a card was not answered for",
  "a payment could not be prepared",
  "a payer's question about a payment was not answered",
  "a charge could not be withdrawn",
  "a refund was not answered for",
  "uses of keys were not noted",
  "a former session was not ended",
  "background work failed",
  "figures were not read",
  "an e-mail was given up",
  "an e-mail was not sent and waits",
  "money of a provider belongs to no charge",
  "an account has more money without a charge than is kept",
  "a provider tells more returns of a payment than are kept",
  "a provider tells more money of a charge than is looked at",
  "a provider refused the number of installments that its account offers",
  "a provider tells returns of more than was received",
  "a provider tells another amount of a refund or return",
  "a provider gave back more than a refund asked for",
  "a refund that had failed was made by its provider",
  "a refund may have left and is not found at its provider",
  "a chargeback took more than was left of its payment",
  "rows of a provider's answer cannot be read",
  "a charge could not be looked after",
  "an e-mail could not be looked after",
  "a refund could not be looked after",
  "an exception could not be given back",
  "a provider's charges have other times than its clock",
  "few calls of an account were not noted",
  "a provider refused a charge",
  "a merchant's question about a payment was not answered",
  "money of a card could not be looked after",
  "what a provider says of a card payment's money is not its price",
  "money of a chargeback came back in another amount",
  "a callback could not be followed",
  "a callback still waits for its provider",
  "a statement could not be read",
  "an account's statement could not be read",
  "a tenant could not be reconciled",
  "a tenant could not be reconciled at once",
  "a charge of a statement is skipped",
  "days of a statement are skipped",
  "a queue of callbacks could not be looked at",
  "a sweep's lease was not renewed",
  "a provider's connections were not closed",
  "the cache cannot listen",
  "the books do not balance",
  "prices are not at parity",
  "a rate was fetched",
  "a rate jumped: it is held until a release",
  "a second rate of one bank day is held until a release",
  "no rate was fetched",
  "listening",
  "certificates read again",
  "certificates cannot be read again",
  "notice",
  "the database is started anew",
  "the database ended",
  "draining",
  "stopping",
  "stopped",
  "ended by a second signal",
  "could not stop in time",
  "could not stop cleanly",
  "could not start",
  "a process of the service is started anew",
  "ended by a fault",
]);
const ALWAYS_SAID: ReadonlySet<string> = new Set(["warn", "error", "fatal"]);
const BUFFER_BYTES = 8 * 1024;
const WRITE_BYTES_MAX = 64 * 1024;
// What several processes write to one pipe stays in one piece up to this size.
const SHARED = { minLength: 3072, maxWrite: 4096 };
// When the reader stalls, lines are lost instead of memory being filled.
const BUFFER_BYTES_MAX = 16 * 1024 * 1024;
const FLUSH_MS = 1000;

/** A log and the function that flushes it. */
export interface OpenLog {
  readonly log: SafeLog;
  /** Writes out the rest of the buffer. */
  flush(): void;
}

/**
 * Returns the process's log on stderr. It is flushed every second and when the process exits. `isShared`: other processes
 * write there too.
 */
export function openLog(level: string, isShared = false): OpenLog {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    ...(isShared ? SHARED : { minLength: BUFFER_BYTES, maxWrite: WRITE_BYTES_MAX }),
    maxLength: BUFFER_BYTES_MAX,
    periodicFlush: FLUSH_MS,
  });
  // A full disk costs lines. Without a listener it would be a fault of the process, and `flushSync` would wait for ever.
  let isFailing = false;
  destination.on("error", () => (isFailing = true));
  destination.on("write", () => (isFailing = false));
  const flush = (): void => {
    if (isFailing) return;
    try {
      destination.flushSync();
    } catch {
      // The log is not open yet, or its reader is gone.
    }
  };
  // Before pino's own, which would wait for ever too.
  process.prependListener("exit", () => (isFailing ? destination.destroy() : flush()));
  return { log: createLog(level, destination), flush };
}

export function createLog(level: string, destination: DestinationStream): SafeLog {
  // The platform adds `pid` and the host's name.
  const formatters = { level: (label: string) => ({ level: label }) };
  return new SafeLog(pino({ level, base: null, formatters }, destination), {});
}

/**
 * The only way to write to the log. An allow-list filters fields and a closed list filters texts. Options of child
 * loggers, such as serializers, have no effect. So no user of it, Fastify included, can log what must not be logged.
 */
export class SafeLog implements FastifyBaseLogger {
  readonly #pino: Logger;
  readonly #bindings: Readonly<Record<string, unknown>>;

  constructor(out: Logger, bindings: Readonly<Record<string, unknown>>) {
    this.#pino = out;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#pino.level;
  }

  child(bindings: object): SafeLog {
    const allowed = allowedFields(bindings);
    // Fastify asks for a child for each request, with no field that passes.
    if (Object.keys(allowed).length === 0) return this;
    return new SafeLog(this.#pino, { ...this.#bindings, ...allowed });
  }

  trace(...given: unknown[]): void {
    this.#write("trace", given);
  }

  debug(...given: unknown[]): void {
    this.#write("debug", given);
  }

  info(...given: unknown[]): void {
    this.#write("info", given);
  }

  warn(...given: unknown[]): void {
    this.#write("warn", given);
  }

  error(...given: unknown[]): void {
    this.#write("error", given);
  }

  fatal(...given: unknown[]): void {
    this.#write("fatal", given);
  }

  silent(): void {
    // The level of lines that are never written.
  }

  #write(level: Level, [first, second]: unknown[]): void {
    if (!this.#pino.isLevelEnabled(level)) return;
    const text = typeof first === "string" ? first : second;
    const isListed = MESSAGES.has(text);
    if (!isListed && !ALWAYS_SAID.has(level)) return;
    const fields = Object.assign(allowedFields(first), this.#bindings);
    if (isListed) this.#pino[level](fields, text as string);
    else this.#pino[level](fields);
  }
}
