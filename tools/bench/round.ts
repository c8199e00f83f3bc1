import autocannon from "autocannon";
import { cpuMicros, memoryMegabytes } from "./proc.ts";
import type { Server } from "./server.ts";
import type { Scale, Workload } from "./workloads.ts";

const WRONG_SHOWN = 300;

/** What one round of load has measured. Times of CPU are those of a request. */
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
  readonly memoryMb: number;
}

export interface RoundOptions extends Scale {
  readonly seconds: number;
  /** Requests a second of all connections; absent: as many as go. */
  readonly rate?: number;
}

/**
 * Loads a service and checks every answer. Throws if one is not what the workload expects. `postgresPid`: the server
 * process of its database.
 */
export async function round(
  server: Server,
  workload: Workload,
  postgresPid: number,
  { connections, payments, seconds, rate }: RoundOptions,
): Promise<Sample> {
  const { next, amount } = await workload.prepare(server, { connections, payments });
  let wrong: string | undefined;
  let endMs = 0;
  const nodeBefore = await cpuMicros(server.pid);
  const postgresBefore = await cpuMicros(postgresPid);
  const startMs = performance.now();
  const result = await autocannon({
    url: server.address,
    connections: amount === undefined ? connections : Math.min(connections, amount),
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(rate === undefined ? {} : { overallRate: rate }),
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
    verifyBody: (body) => {
      endMs = performance.now();
      const isRight = workload.isRight(String(body));
      if (!isRight) wrong ??= String(body).slice(0, WRONG_SHOWN);
      return isRight;
    },
  });
  const nodeUs = (await cpuMicros(server.pid)) - nodeBefore;
  const postgresUs = (await cpuMicros(postgresPid)) - postgresBefore;
  const { errors, non2xx, mismatches } = result;
  if (errors + non2xx + mismatches > 0) {
    throw new Error(
      `${workload.title}: ${server.name} gave ${non2xx} refusals, ${mismatches} wrong answers and ${errors} errors, first ${wrong}`,
    );
  }
  const total = result["2xx"];
  return {
    // Autocannon's own duration of a number of requests is whole seconds.
    perSecond: total / ((endMs - startMs) / 1000),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    nodeUs: nodeUs / total,
    postgresUs: postgresUs / total,
    memoryMb: await memoryMegabytes(server.pid),
  };
}
