import { shown, type RestAnswer } from "../contract.ts";
import { Mismatch } from "../part.ts";
import type { Call } from "./call.ts";
import { step } from "./step.ts";
import type { World } from "./world.ts";

interface Answered {
  readonly call: Call;
  readonly answer: RestAnswer;
}

/**
 * The world after concurrent calls: there must be an order, one after the other, in which each answer is the
 * contract's. Throws Mismatch if no order fits.
 */
export function inSomeOrder(world: World, answered: readonly Answered[]): World {
  let deepest: { readonly done: number; readonly error: Mismatch } | undefined;
  const search = (now: World, left: readonly Answered[]): World | undefined => {
    if (left.length === 0) return now;
    for (const [index, { call, answer }] of left.entries()) {
      try {
        const found = search(step(now, call, answer), left.toSpliced(index, 1));
        if (found) return found;
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
        const done = answered.length - left.length;
        if (!deepest || done > deepest.done) deepest = { done, error: withCall(call, error) };
      }
    }
    return undefined;
  };
  const found = search(world, answered);
  if (found) return found;
  const all = answered.map(({ call, answer }) => `  ${line(call)}\n    ${shown(answer)}`);
  throw new Mismatch(`${deepest?.error.message ?? "no order"}\nanswers of the wave:\n${all.join("\n")}`);
}

function withCall(call: Call, { message }: Mismatch): Mismatch {
  return new Mismatch(`${line(call)}\n${message}`);
}

function line({ caller, operation, path, text, key, id }: Call): string {
  return `${caller} ${operation} ${path === "" ? id : path} ${key === null ? "" : `key ${key} `}${text}`;
}
