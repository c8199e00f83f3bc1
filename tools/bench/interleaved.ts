import { round, type RoundOptions, type Sample } from "./round.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";
import type { Workload } from "./workloads.ts";

// V8 compiles a service of many functions for as long as this: until then, its CPU time a request falls.
export const WARM_UP_SECONDS = 12;

/**
 * A long round of each service warms it up; then they take turns, and who goes first alternates. `warmUpSeconds`: 0 for
 * none.
 */
export async function interleaved(
  { postgresPid }: Stage,
  workload: Workload,
  servers: readonly Server[],
  rounds: number,
  options: RoundOptions & { readonly warmUpSeconds: number },
): Promise<Map<string, Sample[]>> {
  const { warmUpSeconds } = options;
  const warmUp = { ...options, seconds: warmUpSeconds };
  if (warmUpSeconds > 0) for (const server of servers) await round(server, workload, postgresPid, warmUp);
  const samples = new Map<string, Sample[]>(servers.map(({ name }) => [name, []]));
  for (let index = 0; index < rounds; index++) {
    for (const server of index % 2 === 0 ? servers : servers.toReversed()) {
      samples.get(server.name)?.push(await round(server, workload, postgresPid, options));
    }
  }
  return samples;
}
