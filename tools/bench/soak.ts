import { round } from "./round.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";
import { WORKLOADS } from "./workloads.ts";

const SECONDS = 30;

/** Makes links for some minutes, and prints requests a second and memory of every half minute. */
export async function soak({ postgresPid }: Stage, server: Server, minutes: number): Promise<void> {
  const workload = WORKLOADS.find(({ name }) => name === "create");
  if (workload === undefined) throw new Error("There is no workload of new links.");
  for (let passed = 0; passed < minutes * 60; passed += SECONDS) {
    const { perSecond, p99Ms, memoryMb } = await round(server, workload, postgresPid, {
      connections: 64,
      payments: 0,
      seconds: SECONDS,
    });
    const minute = ((passed + SECONDS) / 60).toFixed(1);
    console.log(
      `minute ${minute.padStart(4)}: ${perSecond.toFixed(0)} requests/s, p99 ${p99Ms} ms, ${memoryMb.toFixed(0)} MB`,
    );
  }
}
