import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { codeOf } from "../support/refusal.ts";
import { secondService, startService } from "../support/service.ts";

test.each([
  ["one wish", "form", "done_already"],
  ["a wish of its own", undefined, "invalid_request"],
])(
  "of two that replace a key at once, each for %s, one gets a key and the other is refused",
  async (_, submissionId, code) => {
    const service = await startService();
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const identity = createClient(IdentityService, service.core.transport);
    const { id: tenantId } = await service.createTenant();
    const { id } = await identity.createApiKey(
      { tenantId, mode: Mode.TEST, name: "raced" },
      service.internal,
    );
    // Of two processes: in one, the second would wait for the first before it asks the database.
    const other = await secondService(service);
    const second = createClient(IdentityService, other.core.transport);
    // Both have read the key, and wait to change it.
    await rows.run("BEGIN");
    await rows.run("SELECT FROM identity.api_key WHERE id = $1 FOR UPDATE", [id]);
    const both = Promise.all(
      [identity, second].map((each) => codeOf(each.rotateApiKey({ id, submissionId }, service.internal))),
    );
    const countWaiting = async () => {
      // A transaction sees the activity of its first look until it asks anew.
      await rows.run("SELECT pg_stat_clear_snapshot()");
      return await rows.count(
        "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
    };
    await expect.poll(countWaiting).toBe(2);
    await rows.run("COMMIT");
    expect((await both).toSorted()).toEqual([code, "ok"].toSorted());
    expect(await rows.count("identity.api_key WHERE name = 'raced' AND tenant_id = $1", [tenantId])).toBe(2);
    await rows.close();
    await other.close();
    await service.close();
  },
);
