import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkReplays, Client, Log, type ClientAccess } from "../../tools/drills/acknowledged.ts";
import { findPrograms } from "../../tools/drills/failover/packages.ts";
import { checkRecords } from "../../tools/drills/failover/records.ts";
import { until } from "../../tools/drills/failover/waiting.ts";
import { Http } from "../../tools/drills/http.ts";
import { Operations } from "../../tools/drills/operations.ts";
import { Random } from "../../tools/drills/random.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { runProgram } from "../support/process.ts";
import { startService, type TestService } from "../support/service.ts";

const DRILL = join(import.meta.dirname, "..", "..", "tools", "drills", "failover", "main.ts");

let service: TestService;
let rows: DatabaseRows;
let http: Http;
let access: ClientAccess;
const log = new Log();

beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
  const baseUrl = await service.gateway.listen({ host: "127.0.0.1", port: 0 });
  const { testKey: apiKey } = await service.createTenant();
  http = new Http(() => baseUrl);
  access = { http, apiKey, attemptTimeoutMs: 20_000, giveUpMs: 60_000 };
  const stop = new AbortController();
  const clients = Array.from({ length: 4 }, (_, index) =>
    new Client(access, new Operations(`drill-${index}`, new Random(index)), log).run(stop.signal),
  );
  await until("writes", 60_000, () => Promise.resolve(log.acknowledged.length > 80));
  stop.abort();
  await Promise.all(clients);
});

afterAll(async () => {
  http.close();
  await rows.close();
  await service.close();
});

/** As the drill's cluster answers a query. */
const database = {
  query: async <Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> =>
    (await rows.read(text, [...(values ?? [])])) as Row[],
};

/** Key of the first that is of the kind and that no later operation used. */
function unusedKey(kind: string): string {
  const paths = log.acknowledged.map(({ operation }) => operation.path).join(" ");
  const isUnused = (text: string): boolean => !paths.includes((JSON.parse(text) as { id: string }).id);
  const found = log.acknowledged.find(({ operation, text }) => operation.kind === kind && isUnused(text));
  return found?.operation.key ?? "";
}

test("the clients' writes of every kind are acknowledged as expected, and replay to the same bytes", async () => {
  expect(new Set(log.acknowledged.map(({ operation }) => operation.kind)).size).toBe(5);
  expect([log.unexpected, log.undecided, log.internalErrors]).toEqual([[], [], []]);
  const { count, ...found } = await checkReplays(access, log.acknowledged);
  expect(count).toBe(log.acknowledged.length);
  expect(found).toEqual({ lost: [], changed: [], undecided: [] });
  expect(await checkRecords(database, "drill-", log.acknowledged)).toEqual({ missing: [], doubled: 0 });
});

test("an answer that is gone, one that changed, a link that is gone and a doubled one are each found", async () => {
  const [gone, changed] = [unusedKey("link"), unusedKey("quote")];
  await rows.run("DELETE FROM test.idempotency WHERE key = $1", [gone]);
  const other = log.acknowledged.find(
    ({ operation }) => operation.kind === "quote" && operation.key !== changed,
  );
  await rows.run(
    "UPDATE test.idempotency SET response = (SELECT response FROM test.idempotency WHERE key = $2) WHERE key = $1",
    [changed, other?.operation.key],
  );
  const found = await checkReplays(access, log.acknowledged);
  expect(found).toMatchObject({ lost: [gone], changed: [changed], undecided: [] });
  // Asked again, the lost key made a second link.
  expect((await checkRecords(database, "drill-", log.acknowledged)).doubled).toBe(1);
  await rows.run("DELETE FROM test.payment_link WHERE reference = $1 AND quote_id IS NULL", [gone]);
  expect((await checkRecords(database, "drill-", log.acknowledged)).missing).toEqual([gone]);
});

test("the longest time without an acknowledgement is found, also before the first and after the last", () => {
  const [first] = log.acknowledged;
  const timed = new Log();
  for (const atMs of [10, 13, 22, 23]) if (first) timed.add({ ...first, atMs });
  expect([timed.gapMs(10, 24), timed.gapMs(0, 24), timed.gapMs(10, 50)]).toEqual([9, 10, 27]);
});

test("a seed draws the same operations again", () => {
  const draw = (seed: number): string => {
    const operations = new Operations("same", new Random(seed));
    return JSON.stringify(Array.from({ length: 50 }, () => operations.next()));
  };
  expect(draw(7)).toBe(draw(7));
  expect(draw(7)).not.toBe(draw(8));
});

test("the failover drill explains itself and refuses what it cannot be asked", async () => {
  const help = await runProgram(process.execPath, [DRILL, "--help"], {});
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain("Usage: npm run failover");
  for (const [args, sentence] of [
    [["--rounds", "0"], "--rounds takes a whole number from 1 on."],
    [["--ttl", "10"], "--ttl must be at least --loop-wait and twice --retry-timeout together."],
    [["--only", "flood"], "--only takes kill or freeze."],
  ] as const) {
    const refused = await runProgram(process.execPath, [DRILL, ...args], {});
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: `${sentence}\n` });
  }
});

test("without Debian's packages the failover drill says what to install", async () => {
  const empty = await mkdtemp(join(tmpdir(), "paylink-no-packages-"));
  await expect(findPrograms([empty], empty)).rejects.toThrow(
    /: apt-get install patroni etcd-server haproxy postgresql$/,
  );
  await rm(empty, { recursive: true });
});
