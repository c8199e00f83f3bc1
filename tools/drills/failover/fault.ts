import { setTimeout as delay } from "node:timers/promises";
import type { Member } from "./member.ts";
import { writesOfOldPrimary } from "./split-brain.ts";

/** `kill`: the machine is dead. `freeze`: it hangs, and goes on later. `outrun`: dead, and its standby was behind. */
export type Fault = "kill" | "freeze" | "outrun";

const OUTRUN_MS = 1000;

/** Strikes the primary. Answers how to bring it back, which answers how many writes it then acknowledged as a second primary. */
export async function strike(
  fault: Fault,

  primary: Member,
): Promise<() => Promise<number>> {
  if (fault === "freeze") {
    primary.freeze();
    return async () => {
      // The write waits before the old primary wakes, so nothing is earlier than it.
      const writes = writesOfOldPrimary(primary);
      primary.thaw();
      return await writes;
    };
  }
  if (fault === "outrun") await outrun(primary);
  await primary.kill();
  return async () => {
    const writes = writesOfOldPrimary(primary);
    primary.start();
    return await writes;
  };
}

/** For a second nothing more goes to the standby: what is acknowledged without it is lost with the machine. */
async function outrun(primary: Member): Promise<void> {
  const client = primary.client();
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pid FROM pg_stat_replication");
  await client.end();
  primary.signalBackends(
    rows.map(({ pid }) => pid),
    "SIGSTOP",
  );
  await delay(OUTRUN_MS);
}
