import type { Currency, FeeHandling, Iof, Method, Price, Rule } from "./price.ts";

/** Whose key a call is made with: a tenant's two modes, and another tenant. */
export const CALLERS = ["test", "live", "other"] as const;
export type CallerName = (typeof CALLERS)[number];

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** What is agreed with a caller before any call. */
export interface Terms {
  readonly apiKey: string;
  readonly tenantId: string;
  readonly legalEntityId: string;
  readonly mode: "test" | "live";
  readonly payout: Currency;
  readonly methods: readonly Method[];
  readonly installmentsMax: number;
  readonly settlementDays: number;
  readonly collectFields: readonly string[];
  readonly rules: Readonly<Record<string, Rule>>;
  readonly coveragePpm: bigint;
  readonly iof: Iof;
}

/** A spot rate as it was published. */
export interface Spot {
  readonly micros: bigint;
  readonly publishedAt: number;
  readonly maxAgeSeconds: number;
}

/** A lock of a rate, as answers show it. */
export interface Fx {
  readonly rateMicros: bigint;
  readonly lockedAt: number;
  readonly validUntil: number;
  readonly id: number;
}

export interface Intent {
  readonly id: string;
  readonly caller: CallerName;
  readonly amount: bigint;
  readonly currency: Currency;
  readonly reference: string | null;
  readonly metadata: JsonObject;
}

export interface Quote {
  readonly id: string;
  readonly caller: CallerName;
  readonly price: Price;
  readonly fx: Fx | undefined;
  readonly expiresAt: number;
  readonly intent: Intent | undefined;
  /** The link that it became. */
  readonly linkId: string | undefined;
}

export interface Link {
  readonly id: string;
  readonly caller: CallerName;
  readonly status: "active" | "completed" | "canceled";
  readonly isCampaign: boolean;
  /** 0: never. */
  readonly expiresAt: number;
  readonly amount: bigint;
  readonly currency: Currency;
  readonly methods: readonly Method[];
  readonly feeHandling: FeeHandling;
  /** Of a payment by card. */
  readonly installments: number;
  /** The quote whose price it keeps. */
  readonly quote: Quote | undefined;
  readonly reference: string | null;
  readonly metadata: JsonObject;
}

export interface Payment {
  readonly id: string;
  readonly caller: CallerName;
  readonly createdAt: number;
  readonly status: "succeeded" | "failed" | "expired";
  readonly price: Price;
  readonly text: string;
}

/** What a key holds. */
interface Kept {
  readonly fingerprint: string;
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
  readonly until: number;
}

/** All that the calls so far have come to. A step makes a new one, so that other orders of the same calls can be tried. */
export interface World {
  readonly terms: Readonly<Record<CallerName, Terms>>;
  readonly now: number;
  readonly spots: Readonly<Record<"test" | "live", Spot>>;
  readonly intents: ReadonlyMap<string, Intent>;
  readonly quotes: ReadonlyMap<string, Quote>;
  readonly links: ReadonlyMap<string, Link>;
  readonly payments: ReadonlyMap<string, Payment>;
  readonly kept: ReadonlyMap<string, Kept>;
  /** Identifiers of every kind that were answered: none may come twice. */
  readonly seen: ReadonlySet<string>;
  /** Identifiers of rules, by caller, method and currency. */
  readonly ruleIds: ReadonlyMap<string, string>;
}

/** The public rate in force, or null if every one is too old. */
export function currentSpot(world: World, caller: CallerName): bigint | null {
  const { micros, publishedAt, maxAgeSeconds } = world.spots[world.terms[caller].mode];
  return world.now - publishedAt < maxAgeSeconds ? micros : null;
}

function isPast(link: Link, now: number): boolean {
  return link.status === "active" && link.expiresAt !== 0 && link.expiresAt <= now;
}

/** The status that users see: past its time a link is expired. */
export function statusOf(link: Link, now: number): Link["status"] | "expired" {
  return isPast(link, now) ? "expired" : link.status;
}

export function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  id: string,
  value: Value,
): ReadonlyMap<string, Value> {
  return new Map([...map, [id, value]]);
}
