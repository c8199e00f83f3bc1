import { LRUCache } from "lru-cache";
import { setTimeout as passes } from "node:timers/promises";
import { LimitedClient } from "./limited-client.ts";

const RECONNECT_MS = 1000;
const HEARTBEAT_MS = 1000;
const ANSWER_MS = 2000;
// Cached values may be used this long after the latest request to the server that was answered.
const TRUST_MS = HEARTBEAT_MS + ANSWER_MS;
const ENTRIES_MAX = 50_000;

/** A read under way. Requests that come before an announcement wait for the same one. */
interface Load {
  readonly epoch: number;
  readonly value: Promise<{} | undefined>;
}

/**
 * Caches values read on every request, until a change of them is announced on the `paylink_changed` channel. Without a
 * working listener, nothing is cached: every read goes to the database. A silent server announces nothing either, so
 * the listener asks it every second. Cached values are used for at most three seconds after a request that was
 * answered.
 */
export class AnnouncedCache {
  // The value that was unused for longest leaves.
  readonly #entries = new LRUCache<string, {}>({ max: ENTRIES_MAX });
  readonly #loads = new Map<string, Load>();
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
      // What was announced before it listened is missed: a read that began then is not kept.
      this.#epoch++;
      this.#listening = !this.#closed;
      this.#trustedUntilMs = sentMs + TRUST_MS;
      void this.#keepAsking(client);
    } catch (error) {
      this.#onFault(error);
      this.#lose(client);
    }
  }

  /** Returns the value cached under the topic, else the result of `load`. Undefined is never cached. */
  async get<T extends {} | undefined>(topic: string, load: () => Promise<T>): Promise<T> {
    if (performance.now() < this.#trustedUntilMs) {
      const cached = this.#entries.get(topic);
      if (cached !== undefined) return cached as T;
    }
    const epoch = this.#epoch;
    const underWay = this.#loads.get(topic);
    if (this.#listening && underWay?.epoch === epoch) return (await underWay.value) as T;
    const value = load();
    const entry: Load = { epoch, value };
    this.#loads.set(topic, entry);
    try {
      const loaded = await value;
      if (loaded !== undefined && this.#listening && epoch === this.#epoch) this.#entries.set(topic, loaded);
      return loaded;
    } finally {
      if (this.#loads.get(topic) === entry) this.#loads.delete(topic);
    }
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
