import { findingsOf, type Finding } from "./finding.ts";

const { ok, problem } = findingsOf("node");
// The first that runs TypeScript as it is and has all that the service calls.
const MAJOR_MIN = 24;

/** Judges the Node that runs this; `pinned` is the one that npm brings. */
export function judgeNode(running: string, pinned: string): Finding {
  if (Number(running.split(".")[0]) < MAJOR_MIN) {
    return problem(
      `Node ${running} runs this, ${pinned} should`,
      "Start with `npm start` or `npx paylink`, which take the Node that npm brought; `npm ci` brings it.",
    );
  }
  return ok(`Node ${running} (npm brings ${pinned})`);
}
