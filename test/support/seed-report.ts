import type { TestProject } from "vitest/node";

/** Prints the run's seed, for what fails outside of a test. */
export default function setup({ config }: TestProject): void {
  console.info(`SEED=${config.env["SEED"]}`);
}
