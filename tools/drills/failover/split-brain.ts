import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import type { Member } from "./member.ts";

const PAUSE_MS = 50;
const WRITE_TIMEOUT_MS = 10_000;
const DEMOTED_TIMEOUT_MS = 60_000;
const READ_ONLY = "25006";

/** Looks all the time whether a load balancer would find two primaries. */
export class SplitBrainWatch {
  /** Looks that found two. */
  twoPrimaries = 0;
  readonly #cluster: Cluster;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const areThey = await Promise.all(this.#cluster.members.map((member) => member.isPrimary()));
      if (areThey.every(Boolean)) this.twoPrimaries++;
      await delay(PAUSE_MS);
    }
  }
}

/**
 * Writes to the old primary past the load balancer until it refuses as a standby does. Answers how many writes it
 * acknowledged: none, for its commits wait for a standby that no longer follows it. One that stays a primary counts too.
 */
export async function writesOfOldPrimary(member: Member): Promise<number> {
  let acknowledged = 0;
  const deadlineMs = performance.now() + DEMOTED_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    const outcome = await write(member).catch(() => "failed" as const);
    if (outcome === "read-only") return acknowledged;
    if (outcome === "acknowledged") acknowledged++;
    await delay(PAUSE_MS);
  }
  return acknowledged + 1;
}

async function write(member: Member): Promise<"acknowledged" | "read-only" | "failed"> {
  const client = member.client();
  try {
    await client.connect();
    const written = client.query("INSERT INTO written_by_old_primary VALUES (now())").then(
      () => "acknowledged" as const,
      (error: unknown) =>
        error instanceof Error && "code" in error && error.code === READ_ONLY ? "read-only" : "failed",
    );
    return await Promise.race([written, delay(WRITE_TIMEOUT_MS, "failed" as const, { ref: false })]);
  } finally {
    void client.end().catch(() => undefined);
  }
}
