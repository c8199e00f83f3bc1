import { inject } from "vitest";
import { FreshRunner } from "./fresh-runner.ts";
import { WarmRunner } from "./warm-runner.ts";

/** The runner of the test process, as Vitest loads it. */
export default inject("mutation").kind === "warm" ? WarmRunner : FreshRunner;
