import { checkAnswer, refusalOf, shown, type Refusal, type RestAnswer } from "../contract.ts";
import { Mismatch } from "../part.ts";
import { fingerprintOf, type Call } from "./call.ts";
import { decide } from "./decide.ts";
import { expectBody } from "./matching.ts";
import { withEntry, type World } from "./world.ts";

const KEPT_SECONDS = 86_400;
// It passes by itself, so that a retry may succeed.
const PASSING = new Set(["quote_fx_required"]);
const CREATED = new Set(["link", "quote", "accept", "intent"]);

/** The world after a call that was answered so. Throws Mismatch when the contract has another answer. */
export function step(world: World, call: Call, answer: RestAnswer): World {
  checkAnswer(answer);
  if (call.refusal) {
    expectRefusal(answer, [call.refusal]);
    expectReplay(answer, false);
    return world;
  }
  const key = call.key === null || call.key === "" ? undefined : `${call.caller} ${call.key}`;
  const kept = key === undefined ? undefined : world.kept.get(key);
  if (kept && kept.until > world.now) {
    if (kept.fingerprint !== fingerprintOf(call)) {
      expectRefusal(answer, [{ code: "idempotency_key_reuse", param: null }]);
      expectReplay(answer, false);
      return world;
    }
    expectReplay(answer, true);
    const isSame =
      answer.status === kept.status &&
      answer.text === kept.text &&
      answer.headers["x-request-id"] === kept.requestId;
    if (!isSame) throw new Mismatch(`not the first answer: ${shown(answer)}, first ${JSON.stringify(kept)}`);
    return world;
  }
  expectReplay(answer, false);
  const next = decided(world, call, answer);
  if (key === undefined) return next;
  if (answer.status >= 400 && PASSING.has(refusalOf(answer).code)) return next;
  const entry = {
    fingerprint: fingerprintOf(call),
    status: answer.status,
    text: answer.text,
    requestId: String(answer.headers["x-request-id"]),
    until: world.now + KEPT_SECONDS,
  };
  return { ...next, kept: withEntry(next.kept, key, entry) };
}

function decided(world: World, call: Call, answer: RestAnswer): World {
  const decision = decide(world, call);
  if ("refusals" in decision) {
    expectRefusal(answer, decision.refusals);
    return world;
  }
  const status = CREATED.has(call.operation) ? 201 : 200;
  if (answer.status !== status) throw new Mismatch(`not ${status}: ${shown(answer)}`);
  const body: unknown = JSON.parse(answer.text);
  expectBody(body, decision.expected);
  const next = decision.learn(body as Record<string, unknown>, answer.text);
  const ids = decision.ids(body as Record<string, unknown>);
  for (const id of ids) if (world.seen.has(id)) throw new Mismatch(`${id} was given before`);
  return { ...next, seen: new Set([...world.seen, ...ids]) };
}

function expectRefusal(answer: RestAnswer, allowed: readonly Refusal[]): void {
  const wanted = allowed.map(({ code, param }) => `${code} on ${param}`);
  if (answer.status < 400) throw new Mismatch(`not refused with ${wanted.join(" or ")}: ${shown(answer)}`);
  const { code, param } = refusalOf(answer);
  if (!wanted.includes(`${code} on ${param}`))
    throw new Mismatch(`not refused with ${wanted.join(" or ")}: ${shown(answer)}`);
}

function expectReplay(answer: RestAnswer, isReplay: boolean): void {
  if ((answer.headers["idempotent-replay"] === "true") !== isReplay)
    throw new Mismatch(`${isReplay ? "no replay" : "a replay"}: ${shown(answer)}`);
}
