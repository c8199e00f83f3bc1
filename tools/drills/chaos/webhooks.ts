import { setTimeout as passes } from "node:timers/promises";
import { runCommand } from "../../../test/support/process.ts";
import type { Receiver } from "./receiver.ts";
import type { Topology } from "./topology.ts";

const DELIVERED_MS = 60_000;
const POLL_MS = 200;
// But for those that a worker may have at this moment: its lease is shorter.
const ALL_DUE = `UPDATE test.webhook_delivery SET next_attempt_at = now()
  WHERE status = 'pending' AND next_attempt_at > now() + interval '1 minute'`;

/** Gives every tenant of the demo an endpoint for all events of test mode. */
export async function createEndpoints({ commandEnv, tenants }: Topology, url: string): Promise<void> {
  for (const tenant of tenants) {
    const args = ["webhooks", "create", "--tenant", tenant, "--mode", "test", "--url", url];
    const { code, stderr } = await runCommand(args, commandEnv);
    if (code !== 0) throw new Error(`no webhook endpoint: ${stderr}`);
  }
}

/** Waits until the receiver took every event. Returns how many it did not. */
export async function untilDelivered({ database }: Topology, { taken }: Receiver): Promise<number> {
  const client = await database.connect();
  try {
    // A delivery that failed minutes ago waits long for its next attempt: its turn comes now.
    await client.query(ALL_DUE);
    const deadline = performance.now() + DELIVERED_MS;
    for (;;) {
      const { rows } = await client.query<{ id: string }>(
        `SELECT e.id FROM test.event e WHERE NOT e.is_internal AND EXISTS (SELECT FROM test.webhook_delivery d
          WHERE (d.tenant_id, d.event_id) = (e.tenant_id, e.id))`,
      );
      const missing = rows.filter(({ id }) => !taken.has(id)).length;
      if (missing === 0 || performance.now() > deadline) return missing;
      await passes(POLL_MS);
      await client.query(ALL_DUE);
    }
  } finally {
    await client.end();
  }
}
