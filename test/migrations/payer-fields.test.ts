import { expect, test } from "vitest";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";

const AT = "2026-11-20T15:00:00Z";

test("links and tenants of a former release ask for no details besides", async () => {
  const { url } = await cloneDatabase("template0");
  const isFormer = (name: string): boolean => !/^(environment-0075|identity-0022)$/.test(name);
  await migrate(url, new Map([...MIGRATIONS].map(([schema, names]) => [schema, names.filter(isFormer)])));
  const rows = await new DatabaseRows(url).open();
  try {
    await rows.run("SET session_replication_role = replica");
    await rows.run(
      `INSERT INTO identity.tenant (id, name, payment_methods, max_installments, collect_fields, settlement_days, created_at)
        VALUES ('ten_1', 'Loja', '{pix}', 12, '{phone}', 1, $1)`,
      [AT],
    );
    await rows.run(
      `INSERT INTO live.payment_link (tenant_id, id, status, is_campaign, amount_minor, currency, payout_currency,
          legal_entity_id, payment_methods, max_installments, fee_handling, product_images, collect_fields, metadata, created_at)
        VALUES ('ten_1', 'pl_1', 'active', false, 1000, 'BRL', 'BRL', 'le_1', '{pix}', 12, 'absorb', '{}', '{phone}', '{}', $1)`,
      [AT],
    );
    await rows.run("RESET session_replication_role");
    await migrate(url);
    for (const table of ["identity.tenant", "live.payment_link"])
      expect(await rows.read(`SELECT collect_fields, payer_fields FROM ${table}`)).toEqual([
        { collect_fields: ["phone"], payer_fields: {} },
      ]);
  } finally {
    await rows.close();
  }
});
