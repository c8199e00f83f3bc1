import { setTimeout as passes } from "node:timers/promises";
import type { Random } from "../random.ts";
import { Load } from "./load.ts";
import { startTopology } from "./topology.ts";
import { judge } from "./verdict.ts";

const KILLS_MAX = 5;
const LOAD_MS = 1500;
// What is committed then stays in memory for long, unless a commit waits for it.
const FORGETFUL = { wal_writer_delay: "10s", wal_writer_flush_after: "1GB" };

/**
 * The same harness on a database whose commits do not wait for the disk: kill -9 must lose something that was
 * acknowledged, or the harness would not see a loss. Returns whether it saw one.
 */
export async function control(dataDir: string, random: Random): Promise<boolean> {
  const topology = await startTopology({ dataDir, isDurable: false, databaseSettings: FORGETFUL });
  try {
    // Of all that is committed, only what the load writes may be lost: not the schema and the demo's tenants.
    await topology.database.query("CHECKPOINT");
    for (let kill = 1; kill <= KILLS_MAX; kill++) {
      const load = new Load(topology, random.fork(), `control${kill}`);
      await passes(LOAD_MS);
      const known = [...load.log.acknowledged];
      await topology.database.kill();
      await topology.database.start();
      const { missing } = await judge(topology, known);
      await topology.heal();
      await load.stop();
      load.close();
      if (missing.length > 0) {
        console.log(
          `control: ${missing.length} of ${known.length} acknowledged were lost by kill ${kill}, as they must be`,
        );
        return true;
      }
    }
    console.error(`control: ${KILLS_MAX} kills without durable commits lost nothing: this harness is blind`);
    return false;
  } finally {
    await topology.close();
  }
}
