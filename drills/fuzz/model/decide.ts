import type { Refusal } from "../contract.ts";
import type { Call } from "./call.ts";
import { decideAccept } from "./decide-accept.ts";
import { decideIntent, decideLink } from "./decide-link.ts";
import { decideGet, decideList } from "./decide-read.ts";
import { decideCancel, decideSimulation } from "./decide-simulation.ts";
import { decideQuote } from "./decide-quote.ts";
import type { Expected } from "./matching.ts";
import type { World } from "./world.ts";

type Body = Readonly<Record<string, unknown>>;

/** What a call must come to: a success with this body, or one of these refusals. */
export type Decision =
  | { readonly refusals: readonly Refusal[] }
  | {
      readonly expected: Expected;
      /** Identifiers in the body that must be new. */
      readonly ids: (body: Body) => readonly string[];
      readonly learn: (body: Body, text: string) => World;
    };

/** The model of every operation, without its key. */
export function decide(world: World, call: Call): Decision {
  switch (call.operation) {
    case "link":
      return decideLink(world, call);
    case "quote":
      return decideQuote(world, call);
    case "accept":
      return decideAccept(world, call);
    case "intent":
      return decideIntent(world, call);
    case "simulate":
      return decideSimulation(world, call);
    case "cancel":
      return decideCancel(world, call);
    case "get":
      return decideGet(world, call);
    case "list":
      return decideList(world, call);
  }
}
