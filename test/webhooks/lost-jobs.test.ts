import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBroken } from "../../drills/chaos/invariants.ts";
import { openEnvironment } from "../../src/platform/database.ts";
import { JobQueue } from "../../src/platform/jobs.ts";
import { DELIVERY_QUEUE, type DeliveryJob } from "../../src/webhooks/delivery.ts";
import { LostJobs } from "../../src/webhooks/lost-jobs.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const PAYMENTS = 20;
const DELIVERIES = 60_000;
const STATEMENT_MS_MAX = 250;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const client = new pg.Client({ connectionString: service.databaseUrl });
afterAll(async () => await client.end());
await client.connect();
const merchant = await createMerchant(service);
const receiver = await forFile(startReceiver());
await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);

const WITH_A_JOB = `test.webhook_delivery d JOIN test_jobs.job j ON j.data->>'deliveryId' = d.id
  WHERE d.status = 'pending' AND j.state <= 'active' AND (j.data->>'round')::int = d.round`;
const jobs = () => rows.count(WITH_A_JOB);
const names = async () => (await findBroken(client)).map(({ name }) => name);

/** What was logged of jobs that were lost: how many. */
function logged(): number[] {
  return service.faults.splice(0).map((fault) => (fault as { count: number }).count);
}

/** One more worker's sweep, on connections of its own. */
async function openSweep(poolMax: number) {
  const environment = await openEnvironment({
    url: service.databaseUrl,
    schema: "test",
    entities: [],
    poolMax,
  });
  const options = { name: DELIVERY_QUEUE, expireSeconds: 40, heartbeatSeconds: 10, groupConcurrency: 8 };
  const queue = await JobQueue.open<DeliveryJob>(environment.pool, "test", options, () => undefined);
  return {
    environment,
    lostJobs: new LostJobs(environment, queue, service.clock),
    close: async () => {
      await queue.close();
      await environment.orm.close(true);
    },
  };
}

describe("a delivery whose job is lost", () => {
  test("is given one job and is sent once, by however many cores that look at the same time", async () => {
    const other = await openSweep(4);
    await Promise.all(Array.from({ length: PAYMENTS }, () => merchant.pay()));
    expect(await jobs()).toBe(PAYMENTS);
    await rows.run("DELETE FROM test_jobs.job WHERE id IN (SELECT id FROM test_jobs.job LIMIT $1)", [
      PAYMENTS / 2,
    ]);
    await rows.run("UPDATE test_jobs.job SET state = 'completed', completed_on = now()");
    expect([await jobs(), await names()]).toEqual([0, ["delivery due without a job"]]);
    const rounds = Array.from({ length: 8 }, async () => {
      const [given] = await Promise.all([other.lostJobs.replace(), service.core.tasks.replaceLostJobs()]);
      return given;
    });
    const given = [...(await Promise.all(rounds)), ...logged()];
    expect(given.reduce((total, count) => total + count, 0)).toBe(PAYMENTS);
    expect([await jobs(), await names()]).toEqual([PAYMENTS, []]);

    const worker = service.core.startWorker();
    await receiver.until(PAYMENTS);
    await expect.poll(() => rows.count("test.webhook_delivery WHERE status = 'succeeded'")).toBe(PAYMENTS);
    await worker.stop();
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(PAYMENTS);
    expect(receiver.received).toHaveLength(PAYMENTS);
    await other.close();
  });

  test("is given none before it is due, and one of its own round then", async () => {
    await merchant.pay();
    const { deliveries } = await merchant.webhooks.listDeliveries({ limit: 1 }, merchant.as);
    const deliveryIds = deliveries.map(({ id }) => id);
    const later = `UPDATE test.webhook_delivery SET next_attempt_at = next_attempt_at + interval '1 hour'
      WHERE status = 'pending'`;
    // One whose job waits for its attempt now is not sent again.
    await rows.run("DELETE FROM test_jobs.job");
    await merchant.webhooks.resendDeliveries({ deliveryIds }, merchant.as);
    await rows.run("DELETE FROM test_jobs.job WHERE (data->>'round')::int = 2");
    await rows.run(later);
    await service.core.tasks.replaceLostJobs();
    expect(await jobs()).toBe(0);
    service.clock.advance(3600);
    for (let time = 0; time < 2; time++) await service.core.tasks.replaceLostJobs();
    expect(await jobs()).toBe(1);
    expect(logged()).toEqual([1]);
  });

  test("is left to the transaction that holds it, which keeps no other tenant's", async () => {
    const other = await createMerchant(service);
    await other.webhooks.createWebhookEndpoint({ url: receiver.url }, other.as);
    await other.pay();
    await rows.run("DELETE FROM test_jobs.job");
    const holder = await new DatabaseRows(service.databaseUrl).open();
    await holder.run("BEGIN");
    await holder.run("SELECT FROM test.webhook_delivery WHERE tenant_id = $1 FOR UPDATE", [
      merchant.tenant.id,
    ]);
    await service.core.tasks.replaceLostJobs();
    expect(await jobs()).toBe(1);
    await holder.close();
    await service.core.tasks.replaceLostJobs();
    expect(await jobs()).toBe(2);
    expect(logged()).toEqual([1, 1]);
  });
});

describe(`among ${DELIVERIES} deliveries`, () => {
  let sweep: Awaited<ReturnType<typeof openSweep>>;
  beforeAll(async () => {
    await rows.run("SET session_replication_role = replica");
    // All due and each with its job, as when no endpoint answers: the most that there is to look at.
    await rows.run(
      `INSERT INTO test.webhook_delivery (tenant_id, id, event_id, endpoint_id, status, round, round_attempt_count,
          attempt_count, next_attempt_at, created_at)
        SELECT tenant_id, 'dlv_' || n, 'evt_' || n, endpoint_id, 'pending', 1, 0, 0,
          next_attempt_at + n * interval '1 millisecond', created_at
        FROM test.webhook_delivery, generate_series(1, $2::int) n WHERE status = 'pending' AND tenant_id = $1`,
      [merchant.tenant.id, DELIVERIES],
    );
    await rows.run(
      `INSERT INTO test_jobs.job_common (name, data)
        SELECT $1, jsonb_build_object('tenantId', $2::text, 'deliveryId', 'dlv_' || n, 'round', 1)
        FROM generate_series(1, $3::int) n`,
      [DELIVERY_QUEUE, merchant.tenant.id, DELIVERIES],
    );
    await rows.run("RESET session_replication_role");
    await rows.run("ANALYZE test.webhook_delivery, test_jobs.job_common");
    service.clock.advance(3600);
    // Of one connection, which shows what it prepared.
    sweep = await openSweep(1);
  });
  afterAll(async () => await sweep.close());

  test("those without a job are found by two indexes, some thousands a round, in milliseconds", async () => {
    const lost = DELIVERIES - 5;
    await rows.run("DELETE FROM test_jobs.job WHERE data->>'deliveryId' = $1", [`dlv_${lost}`]);
    const rounds: number[] = [];
    let found = 0;
    while (found === 0 && rounds.length < 50) {
      const startedMs = performance.now();
      found = await sweep.lostJobs.replace();
      rounds.push(Math.round(performance.now() - startedMs));
    }
    console.info(`${DELIVERIES} due deliveries, rounds of at most 5000: ${rounds.join(", ")} ms`);
    expect(found).toBe(1);
    expect(rounds.length).toBe(Math.ceil(DELIVERIES / 5000));

    const late = (
      await rows.read("SELECT next_attempt_at::text AS at FROM test.webhook_delivery WHERE id = $1", [
        `dlv_${lost}`,
      ])
    )[0];
    const position = [String(late?.["at"]), merchant.tenant.id, ""];
    const ids = Array.from({ length: 5000 }, (_, index) => `dlv_${index + 1}`);
    const due = await explained("find due deliveries", [
      new Date(service.clock.nowMs()).toISOString(),
      ...position,
    ]);
    expect(due.text).toContain("Index Scan using webhook_delivery_due");
    const jobsOf = await explained("find jobs by deliveryId", [DELIVERY_QUEUE, ids]);
    expect(jobsOf.text).toContain("job_deliveryid");
    for (const { text, milliseconds } of [due, jobsOf]) {
      expect(text).not.toContain("Seq Scan");
      expect(milliseconds).toBeLessThan(STATEMENT_MS_MAX);
    }
    console.info(`found in ${due.milliseconds} ms, their jobs in ${jobsOf.milliseconds} ms`);
  });

  /** How a statement that the connection has prepared is done with these values. */
  async function explained(name: string, values: readonly (string | readonly string[])[]) {
    const given = values.map(literalOf).join(", ");
    const { rows: lines } = await sweep.environment.pool.query<Record<string, string>>(
      `EXPLAIN (ANALYZE) EXECUTE "${name}" (${given})`,
    );
    const text = lines.map((line) => line["QUERY PLAN"]).join("\n");
    return { text, milliseconds: Number(/Execution Time: ([\d.]+)/.exec(text)?.[1]) };
  }
});

function literalOf(value: string | readonly string[]): string {
  if (typeof value === "string") return pg.escapeLiteral(value);
  return `ARRAY[${value.map((item) => pg.escapeLiteral(item)).join(", ")}]::text[]`;
}
