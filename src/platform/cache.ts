import { setTimeout as passes } from "node:timers/promises";
import { LimitedClient } from "./limited-client.ts";

const RECONNECT_MS = 1000;
const HEARTBEAT_MS = 1000;
const ANSWER_MS = 2000;
// Cached values may be used this long after the latest request to the server that was answered.
const TRUST_MS = HEARTBEAT_MS + ANSWER_MS;
const ENTRIES_MAX = 50_000;

/**
 * Caches values read on every request, until a change of them is announced on the `paylink_changed` channel. Without a
 * working listener, nothing is cached: every read goes to the database. A silent server announces nothing either, so
 * the listener asks it every second. Cached values are used for at most three seconds after a request that was
 * answered.
 */
export class AnnouncedCache {
  readonly #entries = new Map<string, unknown>();
  readonly #url: string;
  readonly #onFault: (error: unknown) => void;
  #client: LimitedClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #listening = false;
  #trustedUntilMs = 0;
  #closed = false;
  // Counts announcements: a value read before an announcement must not be cached after it.
  #epoch = 0;

  constructor(url: string, onFault: (error: unknown) => void) {
    this.#url = url;
    this.#onFault = onFault;
  }

  /** Starts to listen. Resolves after the first attempt has succeeded or failed. */
  async listen(): Promise<void> {
    const client = new LimitedClient({
      connectionString: this.#url,
      application_name: "paylink cache",
      answerMs: ANSWER_MS,
    });
    this.#client = client;
    client.on("notification", ({ payload }) => this.drop(payload ?? ""));
    const lost = (): void => this.#lose(client);
    client.on("error", lost);
    client.on("end", lost);
    try {
      await client.connect();
      const sentMs = performance.now();
      await client.query("LISTEN paylink_changed");
      this.#listening = !this.#closed;
      this.#trustedUntilMs = sentMs + TRUST_MS;
      void this.#keepAsking(client);
    } catch (error) {
      this.#onFault(error);
      this.#lose(client);
    }
  }

  /** Returns the value cached under the topic, else the result of `load`. Undefined is never cached. */
  async get<T>(topic: string, load: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#entries.has(topic) && performance.now() < this.#trustedUntilMs) {
      return this.#entries.get(topic) as T;
    }
    const epoch = this.#epoch;
    const value = await load();
    if (value !== undefined && this.#listening && epoch === this.#epoch) {
      if (this.#entries.size >= ENTRIES_MAX) this.#entries.clear();
      this.#entries.set(topic, value);
    }
    return value;
  }

  /** Drops the topic and all topics below it ("a" drops "a:b"). */
  drop(topic: string): void {
    this.#epoch++;
    this.#entries.delete(topic);
    for (const key of this.#entries.keys()) if (key.startsWith(`${topic}:`)) this.#entries.delete(key);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listening = false;
    this.#entries.clear();
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  /** Announcements made before the answer arrive before it. */
  async #keepAsking(client: LimitedClient): Promise<void> {
    try {
      while (client === this.#client) {
        await passes(HEARTBEAT_MS, undefined, { ref: false });
        const sentMs = performance.now();
        await client.query("SELECT 1");
        this.#trustedUntilMs = sentMs + TRUST_MS;
      }
    } catch {
      this.#lose(client);
    }
  }

  #lose(client: LimitedClient): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    this.#listening = false;
    this.#epoch++;
    this.#entries.clear();
    client.end().catch(() => undefined);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.listen(), RECONNECT_MS).unref();
  }
}
