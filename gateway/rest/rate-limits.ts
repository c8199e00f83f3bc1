import type { FastifyReply } from "fastify";
import { LRUCache } from "lru-cache";
import { HEADERS } from "../../contract/headers.ts";
import { networkOf } from "../../contract/network.ts";
import type { ApiKey, Caller } from "./authenticate.ts";
import { Limiter, type Level } from "../http/limiter.ts";
import { PublicError, toPublicError } from "../transcode/errors.ts";

/** How many wrong API keys an address may send in a second. */
export const WRONG_KEYS_PER_SECOND = 10;

/** Requests a second on average, and how many may come at once. */
interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** An absent limit does not apply. */
export interface RateLimitOptions {
  /** For one API key. */
  readonly key?: Rate | undefined;
  /** For one tenant in one mode, over all its keys. */
  readonly tenant?: Rate | undefined;
  /** For wrong API keys from one client address. */
  readonly wrongKeysPerSecond?: number | undefined;
}

/** A limit of requests, whose window is as long as the burst takes at the average. */
interface Limit extends Rate {
  readonly limiter: Limiter;
  /** For the error's message. */
  readonly of: (caller: Caller) => string;
  readonly nameOf: (key: ApiKey, caller: Caller) => string;
}

interface Counted {
  readonly limit: Limit;
  readonly level: Level;
}

const KNOWN_KEYS_MAX = 50_000;

/** Returns the limits on API requests, or undefined if there are none. */
export function rateLimits(options: RateLimitOptions = {}, isShared = false): RateLimits | undefined {
  const { key, tenant, wrongKeysPerSecond } = options;
  return key || tenant || wrongKeysPerSecond ? new RateLimits(options, isShared) : undefined;
}

/** Counts API requests. Each gateway counts on its own. */
export class RateLimits {
  readonly #limits: readonly Limit[];
  readonly #wrongKeys: Limiter | undefined;
  // Hashes of keys that were valid at their latest use.
  readonly #known = new LRUCache<string, true>({ max: KNOWN_KEYS_MAX });

  constructor({ key, tenant, wrongKeysPerSecond: count }: RateLimitOptions, isShared: boolean) {
    const limit = (rate: Rate | undefined, kind: string, parts: Pick<Limit, "of" | "nameOf">): Limit[] => {
      if (!rate) return [];
      const seconds = rate.burst / rate.perSecond;
      return [{ ...rate, ...parts, limiter: new Limiter({ kind, count: rate.burst, seconds, isShared }) }];
    };
    this.#limits = [
      ...limit(key, "requests of keys", { of: () => "this API key", nameOf: hashOf }),
      ...limit(tenant, "requests of tenants", {
        of: ({ mode }) => `the tenant's ${mode} keys together`,
        nameOf: (_, { tenantId, mode }) => `${tenantId} ${mode}`,
      }),
    ];
    this.#wrongKeys = count ? new Limiter({ kind: "wrong keys", count, seconds: 1, isShared }) : undefined;
  }

  /**
   * Returns the caller of a key, unless its address sent too many wrong keys. A key that was valid before is always
   * looked up: an attacker at the same address cannot lock out other clients. Errors: rate_limited; those of `ask`.
   */
  async authenticate(reply: FastifyReply, key: ApiKey, ask: () => Promise<Caller>): Promise<Caller> {
    const wrongKeys = this.#wrongKeys;
    if (!wrongKeys) return await ask();
    const hash = hashOf(key);
    const { ip } = reply.request;
    const isKnown = this.#known.get(hash) ?? false;
    if (!isKnown) {
      const waitMs = await wrongKeys.waitMs(networkOf(ip));
      if (waitMs > 0) throw refusal(reply, waitMs, "Too many wrong API keys came from this address.");
    }
    try {
      const caller = await ask();
      if (!isKnown) this.#known.set(hash, true);
      return caller;
    } catch (error) {
      if (isWrongKey(error)) {
        this.#known.delete(hash);
        await wrongKeys.add(networkOf(ip), 1);
      }
      throw error;
    }
  }

  /** Counts a request and sets the headers of the nearest limit. Error: rate_limited. */
  async take(reply: FastifyReply, key: ApiKey, caller: Caller): Promise<void> {
    const counted: Counted[] = [];
    for (const limit of this.#limits) {
      const level = await limit.limiter.take(limit.nameOf(key, caller));
      if (level.isOver) {
        // A request that one limit refuses does not count for the other.
        for (const { limit: other } of counted) await other.limiter.giveBack(other.nameOf(key, caller));
        setHeaders(reply, [{ limit, level }]);
        const { perSecond, burst } = limit;
        const message = `The limit of ${limit.of(caller)} is ${perSecond} requests a second, and ${burst} at once.`;
        throw refusal(reply, level.untilEndMs, message);
      }
      counted.push({ limit, level });
    }
    setHeaders(reply, counted);
  }

  /** Counts a request that `take` has counted once as `count` requests, and sets the headers again. */
  async takeMore(reply: FastifyReply, key: ApiKey, caller: Caller, count: number): Promise<void> {
    const counted: Counted[] = [];
    for (const limit of this.#limits) {
      counted.push({ limit, level: await limit.limiter.add(limit.nameOf(key, caller), count - 1) });
    }
    setHeaders(reply, counted);
  }
}

/**
 * Sets the headers of the limit with the fewest requests left, as in draft-ietf-httpapi-ratelimit-headers-06, which most
 * clients read. Later drafts rename them.
 */
function setHeaders(reply: FastifyReply, counted: readonly Counted[]): void {
  const [nearest] = counted.toSorted((a, b) => a.level.remaining - b.level.remaining);
  if (!nearest) return;
  const { limit, level } = nearest;
  reply.header(HEADERS.rateLimit, String(limit.burst));
  reply.header(HEADERS.rateRemaining, String(level.remaining));
  reply.header(HEADERS.rateReset, String(Math.ceil(level.untilEndMs / 1000)));
}

function refusal(reply: FastifyReply, waitMs: number, message: string): PublicError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  reply.header(HEADERS.retryAfter, String(seconds));
  return new PublicError("rate_limited", `${message} Try again after ${seconds} s.`);
}

function isWrongKey(error: unknown): boolean {
  return toPublicError(error).code === "invalid_api_key";
}

function hashOf({ hash }: ApiKey): string {
  return hash.toString("latin1");
}
