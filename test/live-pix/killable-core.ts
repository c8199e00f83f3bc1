import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Transport } from "@connectrpc/connect";
import { coreTransport } from "../../cli/core/core-transport.ts";
import type { DatabaseRows } from "../support/database-rows.ts";
import type { TestService } from "../support/service.ts";
import type { Order } from "./core-process.ts";
import { Stops } from "./stops.ts";

const SCRIPT = join(import.meta.dirname, "core-process.ts");
const BUNDLED = join(import.meta.dirname, "..", "support", "bundled.ts");

/** A core in a process of its own, on the database and at the time of a service. It is killed where it stops. */
export class KillableCore {
  readonly stops: Stops;
  readonly transport: Transport;
  readonly #child: ChildProcess;
  readonly #ended = new Map<number, () => void>();
  #orderCount = 0;

  private constructor(stops: Stops, child: ChildProcess, address: string) {
    this.stops = stops;
    this.#child = child;
    this.transport = coreTransport([address]);
    child.on("message", (id: number) => this.#ended.get(id)?.());
  }

  static async start(
    { databaseUrl, clock }: Pick<TestService, "databaseUrl" | "clock">,
    rows: DatabaseRows,
  ): Promise<KillableCore> {
    const child = fork(SCRIPT, [databaseUrl, String(clock.nowMs())], {
      execArgv: ["--import", BUNDLED],
    });
    // A test that fails must not leave it behind.
    const orphan = (): void => void child.kill("SIGKILL");
    process.once("exit", orphan);
    child.once("exit", () => process.off("exit", orphan));
    const [address] = (await once(child, "message")) as [string];
    return new KillableCore(await Stops.install(rows), child, address);
  }

  /** Lets it run a task. Resolves when that has ended. */
  async run(task: Order["task"], seconds = 0): Promise<void> {
    const order: Order = { id: ++this.#orderCount, seconds, task };
    const ended = new Promise<void>((resolve) => this.#ended.set(order.id, resolve));
    this.#child.send(order);
    await ended;
  }

  /** Waits until each of its stops is reached, kills it by SIGKILL, and undoes what it had not committed. */
  async kill(): Promise<void> {
    try {
      await this.stops.reached();
    } finally {
      // Also where they are not reached in time: another try begins with a process and stops of its own.
      const exited = once(this.#child, "exit");
      // False: it has ended already.
      if (this.#child.kill("SIGKILL")) await exited;
      await this.stops.remove();
    }
  }
}
