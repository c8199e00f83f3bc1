import { expect, test } from "vitest";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";

const AT = new Date("2026-11-20T15:00:00Z");
const NEW = "environment-0034";

test("a card account of a former release gets cursors of its statements, from its beginning on", async () => {
  const { url } = await cloneDatabase("template0");
  const isFormer = (name: string): boolean => name < NEW || name.startsWith("identity");
  await migrate(url, new Map([...MIGRATIONS].map(([schema, names]) => [schema, names.filter(isFormer)])));
  const rows = await new DatabaseRows(url).open();
  try {
    for (const kind of ["card", "pix"]) {
      await rows.run(
        `INSERT INTO live.provider_account (tenant_id, id, kind, profile, sealed_config, fingerprint, last_four,
            callback_proof, callback_route, state, is_demo, revision, created_at)
          VALUES ('ten_1', $1, $2, 'asaas', 'x', 'x', 'x', 'token', $1, 'active', false, 1, $3)`,
        [`pac_${kind}`, kind, AT],
      );
    }
    await migrate(url);
    const cursors = await rows.read(
      "SELECT account_id, kind, swept_to FROM live.provider_sweep ORDER BY kind",
    );
    expect(cursors).toEqual(
      ["day", "received", "returns"].map((kind) => ({ account_id: "pac_card", kind, swept_to: AT })),
    );
  } finally {
    await rows.close();
  }
});
