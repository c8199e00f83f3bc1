import type { Call } from "./call.ts";
import { decideAccept } from "./decide-accept.ts";
import { decideIntent, decideLink } from "./decide-link.ts";
import { decideGet, decideList } from "./decide-read.ts";
import { decideCancel, decideSimulation } from "./decide-simulation.ts";
import { decideQuote } from "./decide-quote.ts";
import type { Decision } from "./decision.ts";
import type { World } from "./world.ts";

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
