import { inspect } from "node:util";
import { Mismatch } from "./part.ts";
import type { Target } from "./target.ts";

/** Takes what the core logged as faults of its own, and what the gateway answered otherwise than OpenAPI says. Throws Mismatch. */
export function requireNoFault({ service }: Target): void {
  const faults = service.faults.splice(0);
  if (faults.length > 0) throw new Mismatch(`the core logged faults: ${inspect(faults, { depth: 6 })}`);
  const problems = service.answers.problems.splice(0);
  if (problems.length > 0) throw new Mismatch(`not as documented: ${problems.join("\n")}`);
}
