/** Measures what many tenants cost: the first request of each in a process, and requests of tenants at random. */
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { cpuMicros, memoryMegabytes } from "./proc.ts";
import { headersOf } from "./server.ts";
import { query, Stage, type CoreServer } from "./stage.ts";
import { spreadOf, textOf } from "./statistics.ts";
import { LINK } from "./workloads.ts";

const HELP = `npm run bench:tenants -- [--tenants N] [--rounds N]

  --tenants N  10000
  --rounds N   5, of 3 seconds each
`;
const CONNECTIONS = 16;
const ROUND_SECONDS = 3;
const KEY_DIGITS = 43;
// What the process compiles and reads for all tenants is not the first tenant's.
const WARM_SECONDS = 6;
let keys = 0;

interface Figures {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
}

const { values } = parseArgs({
  options: {
    tenants: { type: "string", default: "10000" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else await main(Number(values.tenants), Number(values.rounds));

async function main(tenants: number, rounds: number): Promise<void> {
  const stage = await Stage.open();
  try {
    const prepared = await stage.prepare("tenants", 0);
    await copyTenants(prepared.url, tenants);
    const server = await stage.serve("ours", prepared);
    const load = async (
      next: () => string,
      limit: { amount: number } | { duration: number },
    ): Promise<Figures> => await loaded(server, stage.postgresPid, next, limit);
    const one = () => server.key;
    await load(one, { duration: WARM_SECONDS });
    const warm = await load(one, { amount: tenants });
    const before = await memoryMegabytes(server.pid);
    let next = 0;
    const first = await load(() => keyOf(++next), { amount: tenants });
    const after = await memoryMegabytes(server.pid);
    const more = (name: "nodeUs" | "postgresUs"): string => (first[name] - warm[name]).toFixed(0);
    console.log(
      `a tenant's first request costs ${more("nodeUs")} us of Node more, ${more("postgresUs")} of PostgreSQL`,
    );
    console.log(`memory ${before.toFixed(0)} MB before, ${after.toFixed(0)} after ${tenants} tenants`);
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const alone = await load(one, { duration: ROUND_SECONDS });
      const random = await load(() => keyOf(1 + Math.floor(Math.random() * tenants)), {
        duration: ROUND_SECONDS,
      });
      ratios.push(random.perSecond / alone.perSecond);
      console.log(`one tenant ${lineOf(alone)}; at random ${lineOf(random)}`);
    }
    console.log(`requests/s of tenants at random to one tenant: ${textOf(spreadOf(ratios), 2)}`);
    console.log(`memory ${(await memoryMegabytes(server.pid)).toFixed(0)} MB`);
  } finally {
    await stage.close();
  }
}

function lineOf({ perSecond, nodeUs, postgresUs }: Figures): string {
  return `${perSecond.toFixed(0)} requests/s, ${nodeUs.toFixed(0)} us of Node, ${postgresUs.toFixed(0)} of PostgreSQL`;
}

function keyOf(number: number): string {
  return `svc_test_${String(number).padStart(KEY_DIGITS, "0")}`;
}

/** The expression of an id in copy `n`. */
function numbered(id: string): string {
  return `'${id.slice(0, id.indexOf("_") + 1)}' || lpad(n::text, 26, '0')`;
}

/** Copies the only tenant with its legal entity, its key and the owners of their ids. */
async function copyTenants(url: string, count: number): Promise<void> {
  const [one] = await query<{ tenant: string; hash: string; key: string }>(
    url,
    `SELECT t.id AS tenant, k.key_hash AS hash, k.id AS key FROM identity.tenant t JOIN identity.api_key k ON k.tenant_id = t.id`,
  );
  if (!one) throw new Error("There is no tenant with a key.");
  const hashed = `encode(sha256(('svc_test_' || lpad(n::text, ${KEY_DIGITS}, '0'))::bytea), 'hex')`;
  for (const [table, column] of [
    ["tenant", "id"],
    ["legal_entity", "tenant_id"],
    ["api_key", "tenant_id"],
    ["route", "tenant_id"],
  ]) {
    const rows = await query<{ row: string; id: string }>(
      url,
      `SELECT to_jsonb(r)::text AS row, id FROM identity.${table} r WHERE ${column} = '${one.tenant}'`,
    );
    for (const { row, id } of rows) {
      const text = `replace(replace(replace('${row.replaceAll("'", "''")}', '${one.hash}', ${hashed}),
        '${id}', ${numbered(id)}), '${one.tenant}', ${numbered(one.tenant)})`;
      await query(
        url,
        `INSERT INTO identity.${table} SELECT r.* FROM generate_series(1, ${count}) n,
          jsonb_populate_record(NULL::identity.${table}, (${text})::jsonb) r`,
      );
    }
    await query(url, `VACUUM ANALYZE identity.${table}`);
  }
}

async function loaded(
  server: CoreServer,
  postgresPid: number,
  keyOfNext: () => string,
  limit: { amount: number } | { duration: number },
): Promise<Figures> {
  const [node, postgres] = [await cpuMicros(server.pid), await cpuMicros(postgresPid)];
  const result = await autocannon({
    url: server.address,
    connections: CONNECTIONS,
    ...limit,
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          method: "POST",
          path: "/v1/payment_links",
          headers: { ...headersOf(keyOfNext()), "idempotency-key": `tenants-${keys++}` },
          body: JSON.stringify(LINK),
        }),
      },
    ],
  });
  const count = result["2xx"];
  if (result.non2xx + result.errors > 0)
    throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return {
    perSecond: count / result.duration,
    nodeUs: ((await cpuMicros(server.pid)) - node) / count,
    postgresUs: ((await cpuMicros(postgresPid)) - postgres) / count,
  };
}
