import { createClient } from "@connectrpc/connect";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { findBroken } from "../../tools/drills/chaos/invariants.ts";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { Api } from "../support/api.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";
import { fillTables, keptReleases, type Release } from "../support/release.ts";
import { startService, type TestService } from "../support/service.ts";

const DAY_SECONDS = 86_400;
// As the audit log records a key that was replaced.
const ROTATED = `INSERT INTO identity.audit_entry
  SELECT tenant_id, 'aud_rotated', now(), 'core', 'core', 'core', 'RotateApiKey', mode, id, '{"successor": "key_next"}', '', ''
  FROM identity.api_key ORDER BY id LIMIT 1`;

interface Upgraded {
  readonly client: pg.Client;
  readonly service: TestService;
  /** True: the release knew of keys that were replaced by its audit log alone. */
  readonly wasRotated: boolean;
}

/** Returns a service on a database that a release made and filled, brought up to date. */
async function upgraded(release: Release): Promise<Upgraded> {
  const { url } = await cloneDatabase("template0");
  await migrate(url, new Map(Object.entries(release.migrations)));
  const client = new pg.Client({ connectionString: url });
  afterAll(async () => await client.end());
  await client.connect();
  await fillTables(client, release);
  const wasRotated = release.name === "0.1.0";
  if (wasRotated) await client.query(ROTATED);
  await migrate(url);
  const service = await forFile(startService("direct", {}, () => Promise.resolve(url)));
  // Its keys are within their 24 hours.
  service.clock.set(new Date(Date.parse(release.recordedAt) + 60_000));
  return { client, service, wasRotated };
}

const all: [name: string, release: Release, made: Upgraded][] = [];
for (const release of await keptReleases()) all.push([release.name, release, await upgraded(release)]);

describe.each(all)(
  "a database that release %s made and filled",
  (_name, release, { client, service, wasRotated }) => {
    test("is brought up to date", async () => {
      for (const [schema, names] of MIGRATIONS) {
        const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migration`);
        expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
      }
    });

    test.runIf(wasRotated)(
      "knows of the key that was replaced what took its place, and of no other",
      async () => {
        const { rows } = await client.query("SELECT replaced_by FROM identity.api_key ORDER BY id");
        expect(rows).toEqual(rows.map((_, index) => ({ replaced_by: index === 0 ? "key_next" : null })));
      },
    );

    test("answers what was asked before with the same bytes", async () => {
      expect(release.recorded.length).toBeGreaterThan(40);
      for (const { apiKey, path, idempotencyKey, body, status, text } of release.recorded) {
        const api = new Api(service, apiKey);
        const answer = body === null ? await api.get(path) : await api.post(path, body, { idempotencyKey });
        expect({ path, status: answer.status, text: answer.text }).toEqual({ path, status, text });
        if (body !== null) expect(answer.headers["idempotent-replay"]).toBe("true");
      }
    });

    test("has clean books and prices, and sealed days that verify", async () => {
      const ledger = createClient(LedgerService, service.core.transport);
      for (const mode of [Mode.TEST, Mode.LIVE]) {
        expect((await ledger.checkLedger({ mode }, service.internal)).problems).toEqual([]);
      }
      const tenants = await client.query<{ id: string }>("SELECT tenant_id AS id FROM test.day_seal");
      expect(tenants.rows).toHaveLength(2);
      for (const { id } of tenants.rows) {
        const headers = { ...service.internal.headers, "paylink-tenant": id, "paylink-mode": "test" };
        await ledger.verifySeal({ day: "2026-01-31" }, { headers });
      }
      expect(await findBroken(client)).toEqual([]);
    });

    test("keeps its balances when their lines are summed", async () => {
      const ledger = createClient(LedgerService, service.core.transport);
      const { rows } = await client.query<{ tenantId: string; sums: object[] }>(
        `SELECT tenant_id AS "tenantId", json_agg(json_build_object('account', account, 'currency', currency,
          'debit', debit, 'credit', credit) ORDER BY currency, account) AS sums
        FROM (SELECT tenant_id, account, currency, sum(debit_minor)::text AS debit, sum(credit_minor)::text AS credit
          FROM test.ledger_line GROUP BY 1, 2, 3) AS sum GROUP BY tenant_id`,
      );
      expect(rows.length).toBeGreaterThan(1);
      for (const isSummed of [false, true]) {
        if (isSummed) await service.core.tasks.sumLines();
        for (const { tenantId, sums } of rows) {
          const headers = { ...service.internal.headers, "paylink-tenant": tenantId, "paylink-mode": "test" };
          const { balances } = await ledger.getTrialBalance({}, { headers });
          const found = balances.map(({ account, currency, debit, credit }) => ({
            account,
            currency,
            debit: String(debit),
            credit: String(credit),
          }));
          expect(found).toEqual(sums);
        }
      }
      const summed = await client.query("SELECT DISTINCT tenant_id FROM test.ledger_sum");
      expect(summed.rowCount).toBe(rows.length);
      expect((await ledger.checkLedger({ mode: Mode.TEST }, service.internal)).problems).toEqual([]);
    });

    test("goes on: a session that was open shows its prices", async () => {
      const { rows } = await client.query<{ id: string; link: string }>(
        `SELECT s.id, s.link_id AS link FROM test.checkout_session s
        JOIN test.payment_link l ON (l.tenant_id, l.id) = (s.tenant_id, s.link_id) WHERE l.is_campaign LIMIT 1`,
      );
      const address = `/pay/${rows[0]?.link}/${rows[0]?.id}`;
      const page = await service.gateway.inject({ method: "GET", url: address });
      expect(page.statusCode).toBe(200);
      expect(page.body).toMatch(/data-total="\d+"/);
    });

    test("makes the attempts of each delivery in progress", async () => {
      const count = async (where: string) =>
        Number(
          (await client.query(`SELECT count(*) FROM test.webhook_delivery WHERE ${where}`)).rows[0].count,
        );
      const waiting = await count("status = 'pending'");
      expect(waiting).toBeGreaterThan(0);
      service.clock.advance(DAY_SECONDS);
      const now = new Date(service.clock.nowMs());
      const worker = service.core.startWorker();
      await expect.poll(async () => await count(`next_attempt_at <= '${now.toISOString()}'`)).toBe(0);
      await worker.stop();
      expect(await count("last_error IS NOT NULL")).toBeGreaterThanOrEqual(waiting);
    });
  },
);
