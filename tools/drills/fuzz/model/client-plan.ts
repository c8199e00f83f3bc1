import fc from "fast-check";
import { ACCEPT, INTENT, INTENT_QUOTE, LINK, QUOTE, SIMULATE, type Fault } from "./bodies.ts";
import type { FeeHandling, Method } from "./price.ts";
import { CALLERS, type CallerName, type JsonObject } from "./world.ts";

/** An object that a call is about, as it is drawn: which one is known when the call is sent. */
export interface Pick {
  readonly nth: number;
  readonly from: "own" | "any" | "unknown";
}

/** The header of a call as it is drawn: one of a few keys, one of its own, none, or a bad one. */
export type KeyDraw = number | "fresh" | "none" | "empty" | "long";

/** What a call does, as it is drawn. */
type Act =
  | { readonly kind: "link"; readonly body: JsonObject; readonly fault: Fault | null }
  | { readonly kind: "quote"; readonly body: JsonObject; readonly fault: Fault | null }
  | { readonly kind: "intent quote"; readonly body: JsonObject; readonly pick: Pick }
  | {
      readonly kind: "accept" | "simulate";
      readonly body: JsonObject;
      readonly fault: Fault | null;
      readonly pick: Pick;
    }
  | {
      readonly kind: "intent";
      readonly body: JsonObject;
      readonly fault: Fault | null;
      readonly entity: "own" | "unknown" | null;
    }
  | { readonly kind: "cancel" | "get"; readonly pick: Pick }
  | {
      readonly kind: "list";
      readonly days: readonly [number, number];
      readonly limit: string | null;
      readonly after: Pick | null;
    }
  /** An earlier call once more: the same, with another body, or by another caller. */
  | { readonly kind: "again"; readonly nth: number; readonly change: "nothing" | "body" | "caller" }
  /** The call before it in the same wave, at the same time. */
  | { readonly kind: "twin" };

export interface CallDraw {
  readonly caller: CallerName;
  readonly act: Act;
  readonly key: KeyDraw;
  readonly form: number;
}

/** Time that passes, a rate that is published, or concurrent calls, each by a client of its own. */
export type Step =
  | { readonly seconds: number }
  | { readonly spotMicros: number; readonly maxAgeSeconds: number }
  | { readonly wave: readonly CallDraw[] };

export interface TermsDraw {
  readonly payout: "BRL" | "USD";
  readonly methods: readonly Method[];
  readonly installmentsMax: number;
  readonly settlementDays: number;
  readonly collectFields: readonly string[];
  readonly coveragePpm: number;
  readonly iofPpm: number;
  readonly isIofEnabled: boolean;
  /** A rule of its own for one method, in both currencies. */
  readonly rule: RuleDraw | null;
}

export interface RuleDraw {
  readonly method: Method;
  readonly percentPpm: number;
  readonly fixed: number;
  readonly min: number;
  readonly above: number | null;
  readonly surchargePpm: number;
  readonly defaultFeeHandling: FeeHandling;
}

/** A whole run: two tenants, and what four clients do. */
export interface ClientPlan {
  readonly terms: readonly [TermsDraw, TermsDraw];
  readonly spotMicros: number;
  readonly hour: number;
  readonly steps: readonly Step[];
}

const CLIENTS = 4;
const STEPS_MAX = 16;

const pick: fc.Arbitrary<Pick> = fc.record({
  nth: fc.nat({ max: 20 }),
  from: fc.oneof(
    { weight: 8, arbitrary: fc.constant("own" as const) },
    { weight: 1, arbitrary: fc.constant("any" as const) },
    { weight: 1, arbitrary: fc.constant("unknown" as const) },
  ),
});

const faulty = (faults: readonly Fault[]): fc.Arbitrary<Fault | null> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...faults) });

const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: kind("link"), body: LINK.body, fault: faulty(LINK.faults) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kind("quote"), body: QUOTE.body, fault: faulty(QUOTE.faults) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("intent quote"), body: INTENT_QUOTE, pick }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: kind("accept"), body: ACCEPT.body, fault: faulty(ACCEPT.faults), pick }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind("simulate"),
      body: SIMULATE.body,
      fault: faulty(SIMULATE.faults),
      pick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("intent"),
      body: INTENT.body,
      fault: faulty(INTENT.faults),
      entity: fc.constantFrom(null, null, "own" as const, "unknown" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("cancel" as const, "get" as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind("list"),
      days: fc.constantFrom<readonly [number, number]>([-3, 0], [0, 0], [-1, -1], [-400, 1], [1, 0]),
      limit: fc.constantFrom(null, "1", "2", "100", "0", "101", "1e1", "01", ""),
      after: fc.option(pick),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind("again"),
      nth: fc.nat({ max: 30 }),
      change: fc.constantFrom("nothing" as const, "nothing" as const, "body" as const, "caller" as const),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: "twin" as const }) },
);

const call: fc.Arbitrary<CallDraw> = fc.record({
  caller: fc.oneof(
    { weight: 7, arbitrary: fc.constant(CALLERS[0]) },
    { weight: 1, arbitrary: fc.constant(CALLERS[1]) },
    { weight: 1, arbitrary: fc.constant(CALLERS[2]) },
  ),
  act,
  key: fc.oneof<fc.WeightedArbitrary<KeyDraw>[]>(
    { weight: 10, arbitrary: fc.constant("fresh") },
    { weight: 5, arbitrary: fc.nat({ max: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom("none", "empty", "long") },
  ),
  form: fc.nat({ max: 2 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ wave: fc.array(call, { minLength: 1, maxLength: CLIENTS, size: "max" }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      seconds: fc.constantFrom(1, 899, 900, 1799, 1800, 1801, 3600, 40_000, 86_399, 86_400, 86_401),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      spotMicros: fc.integer({ min: 5_000_000, max: 6_000_000 }),
      maxAgeSeconds: fc.constantFrom(1, 900, 86_400, 1_000_000),
    }),
  },
);

const rule: fc.Arbitrary<RuleDraw> = fc.record({
  method: fc.constantFrom("pix", "card", "ted"),
  percentPpm: fc.integer({ min: 0, max: 300_000 }),
  fixed: fc.nat({ max: 500 }),
  min: fc.nat({ max: 1000 }),
  above: fc.option(fc.nat({ max: 20_000 })),
  surchargePpm: fc.nat({ max: 9000 }),
  defaultFeeHandling: fc.constantFrom("absorb", "pass_through"),
});

const terms: fc.Arbitrary<TermsDraw> = fc.record({
  payout: fc.constantFrom("BRL", "USD"),
  methods: fc.constantFrom<readonly Method[]>(
    ["pix", "card", "ted"],
    ["pix", "card"],
    ["pix"],
    ["card", "ted"],
  ),
  installmentsMax: fc.constantFrom(21, 12, 3, 1),
  settlementDays: fc.constantFrom(0, 1, 30),
  collectFields: fc.constantFrom([], ["phone"], ["phone", "address"]),
  coveragePpm: fc.integer({ min: 0, max: 40_000 }),
  iofPpm: fc.constantFrom(0, 3800, 35_000),
  isIofEnabled: fc.boolean(),
  rule: fc.option(rule),
});

export const clientPlans: fc.Arbitrary<ClientPlan> = fc.record({
  terms: fc.tuple(terms, terms),
  spotMicros: fc.integer({ min: 5_000_000, max: 6_000_000 }),
  hour: fc.nat({ max: 23 }),
  // Not the few small ones that fast-check prefers at first: what calls do to each other is looked for.
  steps: fc.noBias(fc.array(step, { minLength: 1, maxLength: STEPS_MAX, size: "max" })),
});
