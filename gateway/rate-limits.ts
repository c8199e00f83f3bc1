import type { FastifyReply } from "fastify";
import { LRUCache } from "lru-cache";
import { HEADERS } from "../contract/headers.ts";
import type { ApiKey, Caller } from "./authenticate.ts";
import type { SharedCounts } from "./shared-counts.ts";
import { TokenBuckets, type BucketLevel, type BucketSize } from "./token-buckets.ts";
import { PublicError, toPublicError } from "./transcode/errors.ts";
import { networkOf } from "../contract/network.ts";

/** The operator's limits. An absent limit does not apply. */
export interface RateLimitOptions {
  /** For one API key. */
  readonly key?: BucketSize | undefined;
  /** For one tenant in one mode, over all its keys. */
  readonly tenant?: BucketSize | undefined;
  /** For wrong API keys from one client address. */
  readonly wrongKeys?: BucketSize | undefined;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
  /** Counts that several processes keep together. Absent: this one counts on its own. */
  readonly shared?: SharedCounts | undefined;
}

const KNOWN_KEYS_MAX = 50_000;

/** Returns the limits on API requests, or undefined if there are none. */
export function rateLimits(options: RateLimitOptions = {}): RateLimits | undefined {
  const { key, tenant, wrongKeys } = options;
  return key || tenant || wrongKeys ? new RateLimits(options) : undefined;
}

/** Counts API requests. Each gateway counts on its own, of however many processes. */
export class RateLimits {
  readonly #keys: TokenBuckets | undefined;
  readonly #tenants: TokenBuckets | undefined;
  readonly #wrongKeys: TokenBuckets | undefined;
  // Hashes of keys that were valid at their latest use.
  readonly #known = new LRUCache<string, true>({ max: KNOWN_KEYS_MAX });
  // Lookups in progress, by the key's hash and the address.
  readonly #pending = new Map<string, Promise<Caller>>();

  constructor({ key, tenant, wrongKeys, shared, nowMs = () => performance.now() }: RateLimitOptions) {
    const buckets = (size: BucketSize | undefined, kind: string) =>
      size && new TokenBuckets(size, nowMs, kind, shared);
    this.#keys = buckets(key, "requests of keys");
    this.#tenants = buckets(tenant, "requests of tenants");
    this.#wrongKeys = buckets(wrongKeys, "wrong keys");
  }

  /**
   * Returns the caller of a key, unless its address sent too many wrong keys. A key that was valid before is always
   * looked up: an attacker at the same address cannot lock out other clients. Errors: rate_limited; those of `ask`.
   */
  async authenticate(reply: FastifyReply, key: ApiKey, ask: () => Promise<Caller>): Promise<Caller> {
    const wrongKeys = this.#wrongKeys;
    if (!wrongKeys) return await ask();
    const name = nameOf(key);
    const network = networkOf(reply.request.ip);
    if (this.#known.has(name)) return await this.#askAgain(wrongKeys, name, network, ask);
    // Concurrent requests with one new key from one address are one attempt. A key may be restricted to some addresses.
    const tried = `${name} ${reply.request.ip}`;
    const pending = this.#pending.get(tried);
    if (pending) {
      await pending;
      // Looked up again: the key may have been revoked since the other request's lookup.
      return await this.#askAgain(wrongKeys, name, network, ask);
    }
    const { waitMs } = wrongKeys.level(network);
    if (waitMs > 0) throw refusal(reply, waitMs, "Too many wrong API keys came from this address.");
    const answer = this.#askFirst(wrongKeys, name, network, ask).finally(() => this.#pending.delete(tried));
    this.#pending.set(tried, answer);
    return await answer;
  }

  /** Looks up a new key. */
  async #askFirst(
    wrongKeys: TokenBuckets,
    name: string,
    network: string,
    ask: () => Promise<Caller>,
  ): Promise<Caller> {
    // Taken before the answer; otherwise any number of keys could be tried at the same time.
    wrongKeys.take(network);
    let isWrong = false;
    try {
      const caller = await ask();
      this.#known.set(name, true);
      return caller;
    } catch (error) {
      isWrong = isWrongKey(error);
      throw error;
    } finally {
      if (!isWrong) wrongKeys.giveBack(network);
    }
  }

  /** Looks up a key that was valid before. */
  async #askAgain(
    wrongKeys: TokenBuckets,
    name: string,
    network: string,
    ask: () => Promise<Caller>,
  ): Promise<Caller> {
    try {
      return await ask();
    } catch (error) {
      if (isWrongKey(error)) {
        this.#known.delete(name);
        wrongKeys.take(network);
      }
      throw error;
    }
  }

  /** Counts a request and sets the headers of the nearest limit. Error: rate_limited. */
  take(reply: FastifyReply, key: ApiKey, caller: Caller): void {
    const limits = this.#limitsOf(key, caller);
    const levels = limits.map(({ buckets, name }) => buckets.level(name));
    const waitMs = Math.max(0, ...levels.map((level) => level.waitMs));
    // All or none: a request that one limit refuses does not count for the other.
    if (waitMs === 0) for (const { buckets, name } of limits) buckets.take(name);
    const now = waitMs === 0 ? limits.map(({ buckets, name }) => buckets.level(name)) : levels;
    const nearest = nearestOf(now);
    const limit = limits[nearest];
    if (!limit) return;
    setHeaders(reply, limit.buckets.size, now[nearest] as BucketLevel);
    if (waitMs === 0) return;
    const { perSecond, burst } = limit.buckets.size;
    const message = `The limit of ${limit.of} is ${perSecond} requests a second, and ${burst} at once.`;
    throw refusal(reply, waitMs, message);
  }

  /** Counts a request that `take` has counted once as `count` requests, and sets the headers again. */
  takeMore(reply: FastifyReply, key: ApiKey, caller: Caller, count: number): void {
    const limits = this.#limitsOf(key, caller);
    for (const { buckets, name } of limits) buckets.take(name, count - 1);
    const levels = limits.map(({ buckets, name }) => buckets.level(name));
    const nearest = nearestOf(levels);
    const limit = limits[nearest];
    if (limit) setHeaders(reply, limit.buckets.size, levels[nearest] as BucketLevel);
  }

  #limitsOf(key: ApiKey, { tenantId, mode }: Caller): Limit[] {
    return [
      { buckets: this.#keys, name: nameOf(key), of: "this API key" },
      { buckets: this.#tenants, name: `${tenantId} ${mode}`, of: `the tenant's ${mode} keys together` },
    ].flatMap(({ buckets, name, of }) => (buckets ? [{ buckets, name, of }] : []));
  }
}

/** A limit of a request: its buckets, and the name of the request's own one. */
interface Limit {
  readonly buckets: TokenBuckets;
  readonly name: string;
  /** For the error's message. */
  readonly of: string;
}

/** Returns the index of the limit with the longest wait, else of the one with the fewest requests left. */
function nearestOf(levels: readonly BucketLevel[]): number {
  const [first, second] = levels;
  if (!first || !second) return 0;
  if (first.waitMs !== second.waitMs) return first.waitMs > second.waitMs ? 0 : 1;
  return first.remaining <= second.remaining ? 0 : 1;
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-06, which most clients read. Later drafts rename them. */
function setHeaders(
  reply: FastifyReply,
  { burst }: BucketSize,
  { remaining, untilFullMs }: BucketLevel,
): void {
  reply.header("ratelimit-limit", String(burst));
  reply.header("ratelimit-remaining", String(remaining));
  reply.header("ratelimit-reset", String(Math.ceil(untilFullMs / 1000)));
}

function refusal(reply: FastifyReply, waitMs: number, message: string): PublicError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  reply.header(HEADERS.retryAfter, String(seconds));
  return new PublicError("rate_limited", `${message} Try again after ${seconds} s.`);
}

function isWrongKey(error: unknown): boolean {
  return toPublicError(error).code === "invalid_api_key";
}

function nameOf({ hash }: ApiKey): string {
  return hash.toString("latin1");
}
