/**
 * Fills a database by the code of a release and keeps what it holds in test/releases/, for the test that migrates it:
 * npx node tools/scripts/record-release.ts NAME [folder of the release's code]. Rows are kept as JSON that PostgreSQL wrote, beside
 * what some requests were answered.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import pg from "pg";
import { requirePinnedNode } from "./pinned-node.ts";

requirePinnedNode();

const SCHEMAS = ["identity", "live", "test"];
const DATA_KEY = Buffer.alloc(32, 7).toString("base64");
const root = join(import.meta.dirname, "..", "..");
const [, , name = "", tree = root] = process.argv;
if (name === "") throw new Error("name the release: npx node tools/scripts/record-release.ts NAME [folder]");

/** A request with its key, and its answer. */
interface Recorded {
  readonly apiKey: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly body: string | null;
  readonly status: number;
  readonly text: string;
}

const folder = await mkdtemp(join(tmpdir(), "paylink-release-"));
await chmod(folder, 0o711);
const [port, corePort, metricsPort] = await Promise.all([freePort(), freePort(), freePort()]);
const env = {
  ...process.env,
  PORT: port,
  CORE_PORT: corePort,
  CORE_HTTP_PORT: "0",
  METRICS_PORT: metricsPort,
  DATA_DIR: folder,
  DATA_KEY,
  LOG_LEVEL: "error",
};
const main = join(resolve(tree), "cli", "main.ts");
const service = spawn(process.execPath, [main, "serve"], {
  cwd: tree,
  env,
  stdio: ["ignore", "ignore", "inherit"],
});
try {
  await untilReady();
  const client = new pg.Client(await databaseOf(folder));
  await client.connect();
  // A day before a tenant's first one cannot be sealed.
  await client.query("UPDATE identity.tenant SET created_at = '2026-01-01'");
  const recorded = await fill();
  const release = { recordedAt: new Date().toISOString(), recorded, ...(await readAll(client)) };
  await client.end();
  const path = join(root, "test", "releases", `${name}.json.gz`);
  await writeFile(path, gzipSync(JSON.stringify(release), { level: 9 }));
  console.log(`${recorded.length} answers and ${release.tables.length} tables in ${path}`);
} finally {
  const gone = once(service, "exit");
  service.kill();
  await gone;
  await rm(folder, { recursive: true, force: true });
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: free } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return String(free);
}

async function untilReady(): Promise<void> {
  for (;;) {
    if (service.exitCode !== null) throw new Error("the release's service ended");
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((passed) => setTimeout(passed, 100));
  }
}

/** Has one of everything made, and answers what was answered. */
async function fill(): Promise<Recorded[]> {
  const demo = JSON.parse(await readFile(join(folder, "demo-keys.json"), "utf8")) as {
    id: string;
    test_key: string;
  }[];
  const recorded: Recorded[] = [];
  for (const { id, test_key: apiKey } of demo) {
    let count = 0;
    const ask = async (path: string, given?: object, isKept = true): Promise<Record<string, string>> => {
      const body = given === undefined ? null : JSON.stringify(given);
      const idempotencyKey = given === undefined || !isKept ? null : `${id}-${++count}`;
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(body === null ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
      };
      const method = body === null ? "GET" : "POST";
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
      const text = await answer.text();
      if (isKept) recorded.push({ apiKey, path, idempotencyKey, body, status: answer.status, text });
      return JSON.parse(text) as Record<string, string>;
    };
    paylink("webhooks", "create", "--tenant", id, "--mode", "test", "--url", "http://localhost:3999/hook");
    paylink("users", "invite", "--tenant", id, "--email", "ana@example.com", "--role", "finance");
    const metadata = { order: "1042", b: 1, a: [0.1, { deep: null }], ção: "\u{1F600}" };
    const link = { amount: 15_990, currency: "BRL", reference: "order-1", metadata };
    const links = [
      link,
      {
        ...link,
        payment_methods: ["pix", "card"],
        max_installments: 6,
        fee_handling: "pass_through",
        description: "Shoes",
      },
      { amount: 10_000, currency: "USD", campaign: true, collect_fields: ["phone"] },
      { amount: 1, currency: "BRL" },
    ];
    for (const given of links) {
      const made = await ask("/v1/payment_links", given);
      if (made["id"] === undefined) continue;
      for (const outcome of ["failed", "succeeded"])
        await ask(`/v1/payment_links/${made["id"]}/simulate_payment`, { outcome });
      await fetch(`http://127.0.0.1:${port}/pay/${made["id"]}/sessions`, {
        method: "POST",
        redirect: "manual",
      });
    }
    const quote = await ask("/v1/quotes", { amount: 25_000, currency: "USD", payment_method: "pix" });
    await ask("/v1/quotes", { amount: 25_000, currency: "BRL" });
    const accepted = await ask(`/v1/quotes/${quote["id"]}/accept`, {
      name: "Running shoes",
      reference: "order-2",
    });
    await ask(`/v1/payment_links/${accepted["id"]}/simulate_payment`, { outcome: "expired" });
    const intent = await ask("/v1/payment_intents", { amount: 5000, currency: "BRL", reference: "order-3" });
    await ask("/v1/quotes", { payment_intent_id: intent["id"], payment_method: "pix" });
    const { data } = (await ask(
      "/v1/payments?from=2020-01-01&to=2099-01-01",
      undefined,
      false,
    )) as unknown as {
      data: { id: string; status: string }[];
    };
    const paid = data.find(({ status }) => status === "succeeded");
    const refund = await ask(`/v1/payments/${paid?.id}/refunds`, { amount: 1, reason: "Out of stock" });
    for (const payment of data) await ask(`/v1/payments/${payment.id}`);
    const { id: canceled } = await ask("/v1/payment_links", { ...link, expires_in: 0 });
    await ask(`/v1/payment_links/${canceled}/cancel`, {});
    // A link that is read has the address of the service that is asked.
    for (const path of [`refunds/${refund["id"]}`, `payment_intents/${intent["id"]}`])
      await ask(`/v1/${path}`);
    paylink("close", "seal", "2026-01-31", "--tenant", id, "--mode", "test");
  }
  return recorded;
}

function paylink(...args: string[]): void {
  execFileSync(process.execPath, [main, ...args], { cwd: tree, env, stdio: ["ignore", "ignore", "inherit"] });
}

async function databaseOf(dataDir: string): Promise<pg.ClientConfig> {
  const lines = (await readFile(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8")).split("\n");
  return { host: lines[4] ?? "", port: Number(lines[3]), user: "paylink", database: "paylink" };
}

/** The names of the migrations that were run, and every row and sequence. */
async function readAll(client: pg.Client) {
  const migrations: Record<string, string[]> = {};
  const tables: { schema: string; table: string; rows: string }[] = [];
  const sequences: { name: string; value: string }[] = [];
  for (const schema of SCHEMAS) {
    const done = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migration ORDER BY id`);
    migrations[schema] = done.rows.map((row) => row.name);
    const found = await client.query<{ table: string }>(
      `SELECT table_name AS table FROM information_schema.tables
        WHERE table_schema = $1 AND table_type = 'BASE TABLE' AND table_name <> 'migration' ORDER BY 1`,
      [schema],
    );
    for (const { table } of found.rows) {
      const { rows } = await client.query<{ rows: string | null }>(
        `SELECT json_agg(t)::text AS rows FROM ${schema}."${table}" t`,
      );
      if (rows[0]?.rows) tables.push({ schema, table, rows: rows[0].rows });
    }
    const numbered = await client.query<{ name: string; value: string }>(
      `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS value FROM pg_sequences
        WHERE schemaname = $1 AND last_value IS NOT NULL AND sequencename NOT LIKE 'migration%'`,
      [schema],
    );
    sequences.push(...numbered.rows);
  }
  return { migrations, tables, sequences };
}
