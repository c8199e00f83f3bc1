import { join } from "node:path";
import { startPart, type Part } from "../../../test/support/part.ts";

const READY_MS = 30_000;
const POLL_MS = 50;

/** One process of the service, which can be killed and comes back at the same ports. */
export class ServicePart {
  readonly name: string;
  readonly #role: string;
  readonly #env: Readonly<Record<string, string>>;
  #part: Part | undefined;
  #main: string | undefined;

  constructor(name: string, role: string, env: Readonly<Record<string, string>>) {
    this.name = name;
    this.#role = role;
    this.#env = env;
  }

  get isRunning(): boolean {
    const child = this.#part?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Starts it from another checkout; from this one without `folder`. */
  start(folder?: string): void {
    this.#main = folder === undefined ? undefined : join(folder, "cli", "main.ts");
    this.#begin();
  }

  #begin(): void {
    this.#part = startPart(this.#role, this.#env, this.#main);
  }

  /** Ends it in good order, and starts it as `start` does. */
  async replace(folder: string | undefined): Promise<void> {
    await this.end("SIGTERM");
    this.start(folder);
  }

  signal(name: NodeJS.Signals): void {
    if (this.isRunning) this.#part?.child.kill(name);
  }

  /** What it printed if it ended; undefined while it runs. */
  failure(): string | undefined {
    return this.isRunning ? undefined : this.#part?.output().slice(-2000);
  }

  async end(name: NodeJS.Signals): Promise<void> {
    await this.#part?.end(name);
  }

  /** Waits until its probe says so, and starts it again if it ended. Throws when it does not come back. */
  async untilReady(): Promise<void> {
    const deadline = performance.now() + READY_MS;
    let printed = "";
    while (performance.now() < deadline) {
      if (!this.isRunning) {
        printed = this.#part?.output() ?? "";
        this.#begin();
      }
      const probe = `http://127.0.0.1:${this.#env["METRICS_PORT"]}/readyz`;
      const answer = await fetch(probe, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const output = `${printed}${this.#part?.output()}`;
    throw new Error(`${this.name} did not come back in ${READY_MS} ms: ${output.slice(-2000)}`);
  }
}
