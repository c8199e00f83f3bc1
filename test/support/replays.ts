import { expect } from "vitest";
import type { Answer } from "./api.ts";

/** Runs the same so many times at once. */
export function times<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

export const isReplay = ({ headers }: Pick<Answer, "headers">): boolean =>
  headers["idempotent-replay"] === "true";

/** One original, and replays that differ from it in nothing but the header that says so. */
export function expectReplaysOfOne(answers: readonly Answer[], status: number): void {
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
  expect(answers.filter(isReplay)).toHaveLength(answers.length - 1);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(new Set(answers.map(({ headers }) => headers["x-request-id"])).size).toBe(1);
}
