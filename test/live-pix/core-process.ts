/**
 * A core as its own process, whose clock stands: `node core-process.ts <database url> <milliseconds>`. It says at which
 * address it listens, and runs the tasks that it is sent; of each it says when it has ended.
 */
import { lookup } from "node:dns";
import pg from "pg";
import { createCore } from "../../src/app.ts";
import { createCoreHttpServer } from "../../src/listeners.ts";
import type { Tasks } from "../../src/worker.ts";
import { MovableClock } from "../support/clock.ts";
import { coreOptions } from "../support/core-options.ts";

/** What the process is to do: to move its clock, and to run a task. */
export interface Order {
  readonly id: number;
  readonly seconds: number;
  readonly task: keyof Tasks;
}

const [databaseUrl = "", nowMs = ""] = process.argv.slice(2);
const clock = new MovableClock();
clock.stop();
clock.set(new Date(Number(nowMs)));
const core = await createCore(
  coreOptions(databaseUrl, clock, [], {
    allowLoopbackProviders: true,
    // The bank's name has an IPv6 address too, where it does not listen.
    lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
    // What stands still here is killed, not ended.
    databaseTimeoutMs: 600_000,
  }),
);
// Each stop keeps a connection.
if (core.pools["live"] instanceof pg.Pool) core.pools["live"].options.max = 64;
const server = await createCoreHttpServer(core);
process.on("message", ({ id, seconds, task }: Order) => {
  clock.advance(seconds);
  core.tasks[task]()
    .catch(() => undefined)
    .finally(() => process.send?.(id));
});
process.send?.(await server.listen({ host: "127.0.0.1", port: 0 }));
