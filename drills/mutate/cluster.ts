import type { TestProject } from "vitest/node";
import setup from "../../test/support/cluster.ts";

/** The cluster of the tests, one for all test processes of the run. */
export async function startCluster(): Promise<{ url: string; stop: () => Promise<void> }> {
  let url = "";
  const provide = (_name: string, value: unknown): void => void (url = String(value));
  const stop = await setup({ provide } as unknown as TestProject);
  return { url, stop };
}
