import { expect, test } from "vitest";
import { isId } from "../../contract/ids.ts";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";

const AT = "2026-11-20T15:00:00Z";
const EVENT = `INSERT INTO live.event (tenant_id, id, type, is_internal, object_id, body, created_at)
  VALUES ('ten_1', $1, $2, $3, 'pl_1', '{}', '${AT}')`;

test("endpoints of a former release have no texts, and events go to those that take them, whoever inserts the deliveries", async () => {
  const { url } = await cloneDatabase("template0");
  const isFormer = (name: string): boolean => name !== "environment-0077";
  await migrate(url, new Map([...MIGRATIONS].map(([schema, names]) => [schema, names.filter(isFormer)])));
  const rows = await new DatabaseRows(url).open();
  try {
    await rows.run(
      `INSERT INTO live.webhook_endpoint (tenant_id, id, url, event_types, status, disabled_reason, sealed_secret, former_secrets,
          created_at)
        SELECT tenant_id, id, 'https://a.example/', types, status, reason, 's', '[]', '${AT}' FROM (VALUES
          ('ten_1', 'we_all', '{}'::text[], 'enabled', NULL),
          ('ten_1', 'we_off', '{}', 'disabled', 'manual'),
          ('ten_1', 'we_link', '{link.*}', 'enabled', NULL),
          ('ten_1', 'we_one', '{payment.failed}', 'enabled', NULL),
          ('ten_2', 'we_two', '{}', 'enabled', NULL)) AS endpoint (tenant_id, id, types, status, reason)`,
    );
    await migrate(url);
    expect(
      await rows.read("SELECT description, metadata FROM live.webhook_endpoint WHERE id = 'we_all'"),
    ).toEqual([{ description: null, metadata: null }]);

    const id = "evt_01kdzfatn8f7s8wv8q7z5h3m2c";
    await rows.run(EVENT, [id, "link.created", false]);
    await rows.run(EVENT, ["evt_internal", "payment.fees_acknowledged", true]);
    await rows.run(EVENT, ["evt_test", "webhook.test", false]);
    // As a core of the former release does it: it knows of no kinds.
    await rows.run(
      `WITH event AS (${EVENT}) INSERT INTO live.webhook_delivery (tenant_id, id, event_id, endpoint_id, status, round,
          round_attempt_count, attempt_count, next_attempt_at, created_at)
        VALUES ('ten_1', 'dlv_former', $1, 'we_all', 'pending', 1, 0, 0, '${AT}', '${AT}')`,
      ["evt_former", "link.expired", false],
    );
    const deliveries = await rows.read(
      `SELECT id, event_id, endpoint_id, status, round, next_attempt_at = created_at AND created_at = '${AT}' AS is_due
        FROM live.webhook_delivery ORDER BY event_id, endpoint_id`,
    );
    const due = { status: "pending", round: 1, is_due: true };
    expect(deliveries.map(({ id: _id, ...delivery }) => delivery)).toEqual([
      { event_id: id, endpoint_id: "we_all", ...due },
      { event_id: id, endpoint_id: "we_link", ...due },
      { event_id: "evt_former", endpoint_id: "we_all", ...due },
      { event_id: "evt_former", endpoint_id: "we_link", ...due },
    ]);
    expect(deliveries[2]?.["id"]).toBe("dlv_former");
    for (const { id: own } of deliveries.slice(0, 2)) {
      expect(isId("dlv", String(own))).toBe(true);
      expect(String(own).slice(4, 22)).toBe(id.slice(4, 22));
    }
  } finally {
    await rows.close();
  }
});
