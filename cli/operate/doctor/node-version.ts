import { findingsOf, type Finding } from "./finding.ts";

const { ok, problem } = findingsOf("node");
// The first version that runs TypeScript directly and has every API that the service uses.
const MAJOR_MIN = 24;

/** Checks the running Node version; `pinned` is the one that npm installs. */
export function judgeNode(running: string, pinned: string): Finding {
  if (Number(running.split(".")[0]) < MAJOR_MIN) {
    return problem(
      `Node ${running} runs this, ${pinned} should`,
      "Start with `npm start` or `npx paylink`, which take the Node that npm brought; `npm ci` brings it.",
    );
  }
  return ok(`Node ${running} (npm brings ${pinned})`);
}
