/** Measures what grows with a tenant's payments: the same requests at each size of one database. */
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { HEADERS } from "../../contract/headers.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { leftByPayment, multiply } from "./multiply.ts";
import { headersOf, type Server } from "./server.ts";
import { CORE_TOKEN, query, Stage, type CoreServer } from "./stage.ts";
import { spreadOf } from "./statistics.ts";
import { LINK } from "./workloads.ts";

const HELP = `npm run bench:growth -- [--sizes N,...]

  --sizes N,...  payments of the tenant at which it measures: 100000,1000000,5000000
`;
const TRIES = 40;
const DAY_MS = 86_400_000;
const PAID = { outcome: "succeeded" };
let keys = 0;

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "100000,1000000,5000000" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else await main(values.sizes.split(",").map(Number));

async function main(sizes: readonly number[]): Promise<void> {
  const stage = await Stage.open();
  try {
    const prepared = await stage.prepare("growth", 0);
    // Days before a tenant's first are never closed.
    await query(prepared.url, "UPDATE identity.tenant SET created_at = '2000-01-01'");
    const server = await stage.serve("ours", prepared);
    const tenantId = await firstPayment(server, prepared.url);
    const left = await leftByPayment(prepared.url, tenantId);
    let from = 1;
    const figures = new Map<string, number[]>();
    for (const [index, size] of sizes.entries()) {
      await multiply(prepared.url, left, { from, until: size });
      from = size;
      for (const [name, act] of Object.entries(actsOf(server, tenantId, size, index * (TRIES + 1)))) {
        const times = await timesOf(act);
        figures.set(name, [...(figures.get(name) ?? []), spreadOf(times).median]);
      }
    }
    console.log(
      `${"ms, medians of ".padEnd(34)}${sizes.map((size) => String(size).padStart(10)).join("")}   growth`,
    );
    for (const [name, row] of figures) {
      const growth = Math.max(...row) / (row[0] ?? Number.NaN);
      console.log(
        `${name.padEnd(34)}${row.map((ms) => ms.toFixed(1).padStart(10)).join("")}   ${growth.toFixed(2)}`,
      );
    }
    console.log(await sizesText(prepared.url));
  } finally {
    await stage.close();
  }
}

/** What is measured, by its name: each returns the time of one act in milliseconds. */
type Act = (attempt: number) => Promise<number>;

function actsOf(
  server: CoreServer,
  tenantId: string,
  size: number,
  sealedBefore: number,
): Record<string, Act> {
  const { address, key, corePort } = server;
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${corePort}` });
  const ledger = createClient(LedgerService, transport);
  const as = {
    headers: {
      authorization: `Bearer ${CORE_TOKEN}`,
      [HEADERS.tenant]: tenantId,
      [HEADERS.mode]: "test",
      [HEADERS.actor]: "command_line",
    },
  };
  const get = async (path: string): Promise<number> =>
    await timeOf(async () => await fetchJson(`${address}${path}`, { headers: headersOf(key) }));
  const post = async (path: string, body: object): Promise<{ id: string }> =>
    await fetchJson(`${address}${path}`, {
      method: "POST",
      headers: { ...headersOf(key), "idempotency-key": `growth-${size}-${keys++}` },
      body: JSON.stringify(body),
    });
  const page = `/v1/payments?from=2000-01-01&to=2099-12-31&limit=100`;
  const after = (n: number): string => `${page}&starting_after=pay_${String(n).padStart(26, "0")}`;
  return {
    "first page": async () => await get(page),
    "middle page": async (attempt) => await get(after(Math.floor(size / 2) + attempt)),
    "last page": async (attempt) => await get(after(size - 200 - attempt)),
    "a payment": async (attempt) => {
      const n = 1 + ((attempt * 61_803) % (size - 1));
      return await get(`/v1/payments/pay_${String(n).padStart(26, "0")}`);
    },
    "a new link": async () => await timeOf(async () => await post("/v1/payment_links", LINK)),
    "a payment that succeeds": async () => {
      const { id } = await post("/v1/payment_links", LINK);
      return await timeOf(async () => await post(`/v1/payment_links/${id}/simulate_payment`, PAID));
    },
    "a day's close": async (attempt) => {
      const day = new Date(Date.now() - (2 + attempt + sealedBefore) * DAY_MS).toISOString().slice(0, 10);
      return await timeOf(async () => await ledger.sealDay({ day }, as));
    },
    "an export's first rows": async (attempt) => {
      // The copies of the smallest size reach 69 days back.
      const [from, to] = [25 + attempt, 5 + attempt].map((days) =>
        new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10),
      );
      const filter = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
      return await timeOf(async () => await ledger.searchPayments({ filter, limit: 100 }, as));
    },
    balances: async () => await timeOf(async () => await ledger.getTrialBalance({}, as)),
  };
}

/** Makes the payment that is copied. Returns its tenant. */
async function firstPayment({ address, key }: Server, databaseUrl: string): Promise<string> {
  const options = (body: object, idempotencyKey: string): RequestInit => ({
    method: "POST",
    headers: { ...headersOf(key), "idempotency-key": idempotencyKey },
    body: JSON.stringify(body),
  });
  const { id } = await fetchJson(`${address}/v1/payment_links`, options(LINK, "first"));
  await fetchJson(`${address}/v1/payment_links/${id}/simulate_payment`, options(PAID, "paid"));
  const [row] = await query<{ tenant_id: string }>(databaseUrl, "SELECT tenant_id FROM test.payment");
  if (!row) throw new Error("There is no payment.");
  return row.tenant_id;
}

async function sizesText(databaseUrl: string): Promise<string> {
  const rows = await query<{ name: string; rows: string; table: string; indexes: string }>(
    databaseUrl,
    `SELECT relid::regclass::text AS name, n_live_tup AS rows, pg_size_pretty(pg_table_size(relid)) AS table,
       pg_size_pretty(pg_indexes_size(relid)) AS indexes
     FROM pg_stat_user_tables WHERE n_live_tup > 1000 ORDER BY pg_total_relation_size(relid) DESC`,
  );
  const lines = rows.map(
    (row) =>
      `${row.name.padEnd(34)}${row.rows.padStart(10)}${row.table.padStart(12)}${row.indexes.padStart(12)}`,
  );
  return [`\n${"table".padEnd(34)}      rows        size     indexes`, ...lines].join("\n");
}

async function timesOf(act: Act): Promise<number[]> {
  await act(TRIES);
  const times: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt++) times.push(await act(attempt));
  return times;
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await act();
  return performance.now() - startMs;
}

async function fetchJson(url: string, options: RequestInit): Promise<{ id: string }> {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { id: string };
}
