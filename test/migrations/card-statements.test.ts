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
    for (const [kind, profile] of [
      ["card", "asaas"],
      ["pix", "asaas"],
      ["card", "pagarme"],
    ]) {
      await rows.run(
        `INSERT INTO live.provider_account (tenant_id, id, kind, profile, sealed_config, fingerprint, last_four,
            callback_proof, callback_route, state, is_demo, revision, created_at)
          VALUES ($1, $1, $2, $4, 'x', 'x', 'x', 'token', $1, 'active', false, 1, $3)`,
        [`${profile}_${kind}`, kind, AT, profile],
      );
    }
    await migrate(url);
    const cursors = await rows.read(
      "SELECT account_id, kind, swept_to FROM live.provider_sweep WHERE account_id LIKE 'asaas%' ORDER BY kind",
    );
    expect(cursors).toEqual(
      ["day", "received", "returns"].map((kind) => ({ account_id: "asaas_card", kind, swept_to: AT })),
    );
    const old = "now() - swept_to BETWEEN interval '399 days' AND interval '401 days' AS is_old";
    expect(
      await rows.read(`SELECT kind, ${old} FROM live.provider_sweep WHERE account_id = 'pagarme_card'`),
    ).toEqual([{ kind: "returns", is_old: true }]);
  } finally {
    await rows.close();
  }
});
