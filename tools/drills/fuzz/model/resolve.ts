import { written, type Call } from "./call.ts";
import { dayOf, paymentsOf } from "./decide-read.ts";
import type { CallDraw, KeyDraw, Pick } from "./client-plan.ts";
import type { CallerName, JsonObject, World } from "./world.ts";

const UNKNOWN = [
  "00000000000000000000000000",
  "01k5e8zj7qf4x9r2m3n6p8s0tv",
  "0",
  "%20",
  "constructor",
  "%F0%9F%92%A9",
];
const KEY_CHARACTERS_MAX = 255;
const IN_SECONDS = 86_400;

/** Turns what was drawn into calls, by what is known when they are sent. */
export class Resolver {
  readonly #earlier: Call[] = [];
  #fresh = 0;

  /** The calls of a wave; what repeats an earlier one and finds none is left out. */
  wave(world: World, draws: readonly CallDraw[]): Call[] {
    const calls: Call[] = [];
    for (const draw of draws) {
      const call = this.#resolve(world, draw, calls.at(-1));
      if (call) calls.push(call);
    }
    this.#earlier.push(...calls);
    return calls;
  }

  #resolve(world: World, draw: CallDraw, before: Call | undefined): Call | undefined {
    const { act, form } = draw;
    if (act.kind === "twin") return before && again(world, before, form);
    if (act.kind !== "again") return this.#call(world, draw);
    const earlier = this.#earlier.filter(({ operation }) => operation !== "list");
    const call = earlier[act.nth % Math.max(1, earlier.length)];
    if (!call) return undefined;
    if (act.change === "caller") return again(world, { ...call, caller: draw.caller }, form);
    if (act.change === "nothing" || call.fault || call.text === "") return again(world, call, form);
    return again(world, { ...call, body: changed(call) }, form);
  }

  #call(world: World, { caller, act, key, form }: CallDraw): Call | undefined {
    switch (act.kind) {
      case "link":
        return this.#post(world, caller, "link", "/v1/payment_links", act, key, form);
      case "quote":
        return this.#post(world, caller, "quote", "/v1/quotes", act, key, form);
      case "intent quote": {
        const intent = picked(world.intents, caller, act.pick, "pi");
        const body = { ...act.body, payment_intent_id: decodeURIComponent(intent) };
        return this.#post(world, caller, "quote", "/v1/quotes", { body, fault: null }, key, form);
      }
      case "intent": {
        const entity = { own: world.terms[caller].legalEntityId, unknown: "le_0" }[act.entity ?? "own"];
        const body = act.entity === null ? act.body : { ...act.body, legal_entity_id: entity };
        return this.#post(world, caller, "intent", "/v1/payment_intents", { ...act, body }, key, form);
      }
      case "accept": {
        const id = picked(world.quotes, caller, act.pick, "qt");
        return this.#post(world, caller, "accept", `/v1/quotes/${id}/accept`, act, key, form, id);
      }
      case "simulate": {
        const id = picked(world.links, caller, act.pick, "pl");
        const path = `/v1/payment_links/${id}/simulate_payment`;
        return this.#post(world, caller, "simulate", path, act, key, form, id);
      }
      case "cancel":
        return read(caller, "cancel", "", picked(world.links, caller, act.pick, "pl"));
      case "get": {
        const id = picked(world.payments, caller, act.pick, "pay");
        return read(caller, "get", `/v1/payments/${id}`, id);
      }
      case "list":
        return listed(world, caller, act);
      default:
        return undefined;
    }
  }

  #post(
    world: World,
    caller: CallerName,
    operation: Call["operation"],
    path: string,
    { body: drawn, fault }: { readonly body: JsonObject; readonly fault: Fault },
    keyDraw: KeyDraw,
    form: number,
    id = "",
  ): Call {
    const kept = Object.entries(drawn).filter(([name]) => !(fault?.without ?? []).includes(name));
    const body = { ...Object.fromEntries(kept), ...fault?.patch };
    const key = this.#key(keyDraw);
    const call = { caller, operation, path, body, text: "{}", key, id };
    return again(world, { ...call, fault: fault?.refusal, refusal: undefined }, form);
  }

  #key(draw: KeyDraw): string | null {
    if (draw === "none") return null;
    if (draw === "empty") return "";
    if (draw === "long") return "k".repeat(KEY_CHARACTERS_MAX + 1);
    return draw === "fresh" ? `fresh-${++this.#fresh}` : `key-${draw}`;
  }
}

type Fault = { patch: JsonObject; without?: readonly string[]; refusal: NonNullable<Call["refusal"]> } | null;

/** What is refused before a body is looked at. */
function refusalBefore(
  world: World,
  caller: CallerName,
  operation: Call["operation"],
  key: string | null,
): Call["refusal"] {
  const isSimulation = operation === "simulate";
  if (isSimulation && world.terms[caller].mode === "live")
    return { code: "not_available_in_live", param: null };
  if (key === null || key === "")
    return isSimulation ? undefined : { code: "missing_idempotency_key", param: null };
  if (key.length > KEY_CHARACTERS_MAX) return { code: "invalid_idempotency_key", param: null };
  return undefined;
}

function again(world: World, call: Call, form: number): Call {
  if (call.text === "") return call;
  const refusal = refusalBefore(world, call.caller, call.operation, call.key) ?? call.fault;
  return { ...call, text: written(call.body, form), refusal };
}

/** The same body but for one member, still one that may be taken. */
function changed({ operation, body }: Call): JsonObject {
  if (operation === "simulate")
    return { ...body, outcome: body["outcome"] === "failed" ? "expired" : "failed" };
  if (operation === "accept") {
    const { description } = body;
    return { ...body, description: description === "other" ? "another" : "other" };
  }
  return body["payment_intent_id"] === undefined
    ? { ...body, amount: (Number(body["amount"]) % 999_999_999_999) + 1 }
    : { ...body, payment_method: body["payment_method"] === "card" ? "pix" : "card", installments: 1 };
}

function read(caller: CallerName, operation: Call["operation"], path: string, id: string): Call {
  return { caller, operation, path, body: {}, text: "", key: null, id, fault: undefined, refusal: undefined };
}

function listed(
  world: World,
  caller: CallerName,
  { days, limit, after }: { days: readonly [number, number]; limit: string | null; after: Pick | null },
): Call {
  const day = (offset: number): string => dayOf(world.now + offset * IN_SECONDS);
  const isBad = limit !== null && !/^(?:[1-9]\d?|100)$/.test(limit);
  const own = new Map(paymentsOf(world, caller).map((payment) => [payment.id, payment]));
  const cursor = after && picked(after.from === "own" ? own : world.payments, caller, after, "pay");
  const query = [
    `from=${day(days[0])}&to=${day(days[1])}`,
    ...(limit === null ? [] : [`limit=${limit}`]),
    ...(cursor === null ? [] : [`starting_after=${cursor}`]),
  ].join("&");
  const call = read(caller, "list", `/v1/payments?${query}`, decodeURIComponent(cursor ?? ""));
  return isBad ? { ...call, refusal: { code: "invalid_request", param: "limit" } } : call;
}

/** Returns the id of the drawn object, or an unknown id if there is no such object. */
function picked(
  objects: ReadonlyMap<string, { readonly caller: CallerName }>,
  caller: CallerName,
  { nth, from }: Pick,
  prefix: string,
): string {
  const known = [...objects]
    .filter(([, object]) => from === "any" || (from === "own" && object.caller === caller))
    .map(([id]) => id);
  // Newest first, so that most calls are about what has just been made.
  return known.toReversed()[nth % Math.max(1, known.length)] ?? `${prefix}_${UNKNOWN[nth % UNKNOWN.length]}`;
}
