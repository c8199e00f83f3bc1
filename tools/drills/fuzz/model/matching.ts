import { isDeepStrictEqual } from "node:util";
import { Mismatch } from "../part.ts";

/** A value, a pattern of a text, or what must be true of it. */
export type Expected =
  | null
  | boolean
  | number
  | string
  | RegExp
  | Exactly
  | ((value: unknown) => boolean)
  | readonly Expected[]
  | { readonly [key: string]: Expected };

/** JSON that must come back as it was sent. */
export class Exactly {
  readonly json: unknown;
  constructor(json: unknown) {
    this.json = json;
  }
}

/** Throws Mismatch where a body is not what is expected: every member, and no other. */
export function expectBody(actual: unknown, expected: Expected, place = "body"): void {
  const fail = (): never => {
    throw new Mismatch(`${place} is ${JSON.stringify(actual)}, not ${String(describe(expected))}`);
  };
  if (expected instanceof RegExp) {
    if (typeof actual !== "string" || !expected.test(actual)) fail();
  } else if (typeof expected === "function") {
    if (!expected(actual)) fail();
  } else if (expected instanceof Exactly) {
    if (!isDeepStrictEqual(actual, expected.json)) fail();
  } else if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return fail();
    for (const [index, item] of expected.entries()) expectBody(actual[index], item, `${place}[${index}]`);
  } else if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null || Array.isArray(actual)) return fail();
    const members = actual as Record<string, unknown>;
    for (const [name, value] of Object.entries(expected))
      expectBody(members[name], value, `${place}.${name}`);
    const more = Object.keys(members).filter((name) => !Object.hasOwn(expected, name));
    if (more.length > 0) throw new Mismatch(`${place} has ${more.join(", ")} too`);
  } else if (actual !== expected) fail();
}

function describe(expected: Expected): unknown {
  if (expected instanceof Exactly) return JSON.stringify(expected.json);
  if (expected instanceof RegExp || typeof expected === "function") return expected;
  return JSON.stringify(expected);
}
