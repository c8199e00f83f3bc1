import type { MigrationObject } from "@mikro-orm/core";
import { Migrator, type Migration } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import { setTimeout as passes } from "node:timers/promises";
import type pg from "pg";
import { MODES } from "../platform/rpc/caller.ts";
import { clientLimits, connectionOptions } from "../platform/db/database.ts";
import { LimitedClient, requireWritable } from "../platform/db/limited-client.ts";
import { Environment0001 } from "./environment-0001.ts";
import { Environment0002 } from "./environment-0002.ts";
import { Environment0003 } from "./environment-0003.ts";
import { Environment0004 } from "./environment-0004.ts";
import { Environment0005 } from "./environment-0005.ts";
import { Environment0006 } from "./environment-0006.ts";
import { Environment0007 } from "./environment-0007.ts";
import { Environment0008 } from "./environment-0008.ts";
import { Environment0009 } from "./environment-0009.ts";
import { Environment0010 } from "./environment-0010.ts";
import { Environment0011 } from "./environment-0011.ts";
import { Environment0012 } from "./environment-0012.ts";
import { Environment0013 } from "./environment-0013.ts";
import { Environment0014 } from "./environment-0014.ts";
import { Environment0015 } from "./environment-0015.ts";
import { Environment0016 } from "./environment-0016.ts";
import { Environment0017 } from "./environment-0017.ts";
import { Environment0018 } from "./environment-0018.ts";
import { Environment0019 } from "./environment-0019.ts";
import { Environment0020 } from "./environment-0020.ts";
import { Environment0021 } from "./environment-0021.ts";
import { Environment0022 } from "./environment-0022.ts";
import { Environment0023 } from "./environment-0023.ts";
import { Environment0024 } from "./environment-0024.ts";
import { Environment0025 } from "./environment-0025.ts";
import { Environment0026 } from "./environment-0026.ts";
import { Environment0027 } from "./environment-0027.ts";
import { Environment0028 } from "./environment-0028.ts";
import { Environment0029 } from "./environment-0029.ts";
import { Environment0030 } from "./environment-0030.ts";
import { Environment0031 } from "./environment-0031.ts";
import { Environment0032 } from "./environment-0032.ts";
import { Environment0033 } from "./environment-0033.ts";
import { Environment0034 } from "./environment-0034.ts";
import { Environment0035 } from "./environment-0035.ts";
import { Environment0037 } from "./environment-0037.ts";
import { Environment0038 } from "./environment-0038.ts";
import { Environment0039 } from "./environment-0039.ts";
import { Environment0040 } from "./environment-0040.ts";
import { Environment0041 } from "./environment-0041.ts";
import { Environment0042 } from "./environment-0042.ts";
import { Environment0043 } from "./environment-0043.ts";
import { Environment0044 } from "./environment-0044.ts";
import { Environment0045 } from "./environment-0045.ts";
import { Environment0046 } from "./environment-0046.ts";
import { Environment0049 } from "./environment-0049.ts";
import { Environment0050 } from "./environment-0050.ts";
import { Environment0051 } from "./environment-0051.ts";
import { Environment0052 } from "./environment-0052.ts";
import { Environment0055 } from "./environment-0055.ts";
import { Environment0056 } from "./environment-0056.ts";
import { Environment0057 } from "./environment-0057.ts";
import { Environment0058 } from "./environment-0058.ts";
import { Environment0059 } from "./environment-0059.ts";
import { Environment0060 } from "./environment-0060.ts";
import { Environment0061 } from "./environment-0061.ts";
import { Environment0062 } from "./environment-0062.ts";
import { Environment0063 } from "./environment-0063.ts";
import { Environment0064 } from "./environment-0064.ts";
import { Environment0065 } from "./environment-0065.ts";
import { Environment0066 } from "./environment-0066.ts";
import { Environment0067 } from "./environment-0067.ts";
import { Environment0068 } from "./environment-0068.ts";
import { Environment0069 } from "./environment-0069.ts";
import { Environment0070 } from "./environment-0070.ts";
import { Environment0071 } from "./environment-0071.ts";
import { Environment0072 } from "./environment-0072.ts";
import { Environment0073 } from "./environment-0073.ts";
import { Environment0074 } from "./environment-0074.ts";
import { Environment0075 } from "./environment-0075.ts";
import { Environment0076 } from "./environment-0076.ts";
import { Environment0077 } from "./environment-0077.ts";
import { Environment0078 } from "./environment-0078.ts";
import { Environment0079 } from "./environment-0079.ts";
import { Identity0001 } from "./identity-0001.ts";
import { Identity0002 } from "./identity-0002.ts";
import { Identity0003 } from "./identity-0003.ts";
import { Identity0004 } from "./identity-0004.ts";
import { Identity0005 } from "./identity-0005.ts";
import { Identity0006 } from "./identity-0006.ts";
import { Identity0007 } from "./identity-0007.ts";
import { Identity0009 } from "./identity-0009.ts";
import { Identity0010 } from "./identity-0010.ts";
import { Identity0011 } from "./identity-0011.ts";
import { Identity0012 } from "./identity-0012.ts";
import { Identity0013 } from "./identity-0013.ts";
import { Identity0014 } from "./identity-0014.ts";
import { Identity0015 } from "./identity-0015.ts";
import { Identity0016 } from "./identity-0016.ts";
import { Identity0017 } from "./identity-0017.ts";
import { Identity0018 } from "./identity-0018.ts";
import { Identity0019 } from "./identity-0019.ts";
import { Identity0020 } from "./identity-0020.ts";
import { Identity0021 } from "./identity-0021.ts";
import { Identity0022 } from "./identity-0022.ts";

const identityMigrations = [
  { name: "identity-0001", class: Identity0001 },
  { name: "identity-0002", class: Identity0002 },
  { name: "identity-0003", class: Identity0003 },
  { name: "identity-0004", class: Identity0004 },
  { name: "identity-0005", class: Identity0005 },
  { name: "identity-0006", class: Identity0006 },
  { name: "identity-0007", class: Identity0007 },
  { name: "identity-0009", class: Identity0009 },
  { name: "identity-0010", class: Identity0010 },
  { name: "identity-0011", class: Identity0011 },
  { name: "identity-0012", class: Identity0012 },
  { name: "identity-0013", class: Identity0013 },
  { name: "identity-0014", class: Identity0014 },
  { name: "identity-0015", class: Identity0015 },
  { name: "identity-0016", class: Identity0016 },
  { name: "identity-0017", class: Identity0017 },
  { name: "identity-0018", class: Identity0018 },
  { name: "identity-0019", class: Identity0019 },
  { name: "identity-0020", class: Identity0020 },
  { name: "identity-0021", class: Identity0021 },
  { name: "identity-0022", class: Identity0022 },
];
const environmentMigrations = [
  { name: "environment-0001", class: Environment0001 },
  { name: "environment-0002", class: Environment0002 },
  { name: "environment-0003", class: Environment0003 },
  { name: "environment-0004", class: Environment0004 },
  { name: "environment-0005", class: Environment0005 },
  { name: "environment-0006", class: Environment0006 },
  { name: "environment-0007", class: Environment0007 },
  { name: "environment-0008", class: Environment0008 },
  { name: "environment-0009", class: Environment0009 },
  { name: "environment-0010", class: Environment0010 },
  { name: "environment-0011", class: Environment0011 },
  { name: "environment-0012", class: Environment0012 },
  { name: "environment-0013", class: Environment0013 },
  { name: "environment-0014", class: Environment0014 },
  { name: "environment-0015", class: Environment0015 },
  { name: "environment-0016", class: Environment0016 },
  { name: "environment-0017", class: Environment0017 },
  { name: "environment-0018", class: Environment0018 },
  { name: "environment-0019", class: Environment0019 },
  { name: "environment-0020", class: Environment0020 },
  { name: "environment-0021", class: Environment0021 },
  { name: "environment-0022", class: Environment0022 },
  { name: "environment-0023", class: Environment0023 },
  { name: "environment-0024", class: Environment0024 },
  { name: "environment-0025", class: Environment0025 },
  { name: "environment-0026", class: Environment0026 },
  { name: "environment-0027", class: Environment0027 },
  { name: "environment-0028", class: Environment0028 },
  { name: "environment-0029", class: Environment0029 },
  { name: "environment-0030", class: Environment0030 },
  { name: "environment-0031", class: Environment0031 },
  { name: "environment-0032", class: Environment0032 },
  { name: "environment-0033", class: Environment0033 },
  { name: "environment-0034", class: Environment0034 },
  { name: "environment-0035", class: Environment0035 },
  { name: "environment-0037", class: Environment0037 },
  { name: "environment-0038", class: Environment0038 },
  { name: "environment-0039", class: Environment0039 },
  { name: "environment-0040", class: Environment0040 },
  { name: "environment-0041", class: Environment0041 },
  { name: "environment-0042", class: Environment0042 },
  { name: "environment-0043", class: Environment0043 },
  { name: "environment-0044", class: Environment0044 },
  { name: "environment-0045", class: Environment0045 },
  { name: "environment-0046", class: Environment0046 },
  { name: "environment-0049", class: Environment0049 },
  { name: "environment-0050", class: Environment0050 },
  { name: "environment-0051", class: Environment0051 },
  { name: "environment-0052", class: Environment0052 },
  { name: "environment-0055", class: Environment0055 },
  { name: "environment-0056", class: Environment0056 },
  { name: "environment-0057", class: Environment0057 },
  { name: "environment-0058", class: Environment0058 },
  { name: "environment-0059", class: Environment0059 },
  { name: "environment-0060", class: Environment0060 },
  { name: "environment-0061", class: Environment0061 },
  { name: "environment-0062", class: Environment0062 },
  { name: "environment-0063", class: Environment0063 },
  { name: "environment-0064", class: Environment0064 },
  { name: "environment-0065", class: Environment0065 },
  { name: "environment-0066", class: Environment0066 },
  { name: "environment-0067", class: Environment0067 },
  { name: "environment-0068", class: Environment0068 },
  { name: "environment-0069", class: Environment0069 },
  { name: "environment-0070", class: Environment0070 },
  { name: "environment-0071", class: Environment0071 },
  { name: "environment-0072", class: Environment0072 },
  { name: "environment-0073", class: Environment0073 },
  { name: "environment-0074", class: Environment0074 },
  { name: "environment-0075", class: Environment0075 },
  { name: "environment-0076", class: Environment0076 },
  { name: "environment-0077", class: Environment0077 },
  { name: "environment-0078", class: Environment0078 },
  { name: "environment-0079", class: Environment0079 },
];

const LISTS: readonly (readonly [schema: string, list: MigrationObject[]])[] = [
  ["identity", identityMigrations],
  ...MODES.map((mode) => [mode, environmentMigrations] as const),
];

/** The migrations of each schema, in their order. */
export const MIGRATIONS: ReadonlyMap<string, readonly string[]> = new Map(
  LISTS.map(([schema, list]) => [schema, list.map(({ name }) => name)]),
);

// All processes use this number: the holder of this advisory lock migrates.
const MIGRATION_LOCK = 7_295_728;
// The maximum time for the change of a large table, and for the wait for another process that makes one.
const MIGRATION_MS = 3_600_000;
const TURN_MS = 100;

/**
 * Brings the schemas up to date. It only moves forward. Of several concurrent processes, one
 * migrates and the others wait. `only` names the migrations of each schema to run, for example to create an earlier
 * release's tables.
 */
export async function migrate(url: string, only?: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const limits = clientLimits(MIGRATION_MS);
  const client = new LimitedClient({ connectionString: url, ...limits });
  client.on("error", () => undefined);
  await client.connect();
  try {
    requireWritable(client);
    await takeTurn(client);
    for (const [schema] of LISTS) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    for (const [schema, list] of LISTS) {
      const chosen = list.filter(({ name }) => only?.get(schema)?.includes(name) ?? only === undefined);
      if (await lacksOne(client, schema, chosen))
        for (const part of partsOf(chosen)) await run(url, schema, part);
    }
  } finally {
    await client.end();
  }
}

/**
 * Waits until no other process migrates. It asks again and again: a query that waited would be one that an index, which is
 * built without blocking, waits for itself.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  const until = performance.now() + MIGRATION_MS;
  for (;;) {
    const { rows } = await client.query<{ isMine: boolean }>(`SELECT pg_try_advisory_lock($1) AS "isMine"`, [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.isMine) return;
    if (performance.now() > until) throw new Error("another process still migrates after an hour");
    await passes(TURN_MS);
  }
}

/** Returns true if a schema lacks one of the migrations. Most starts find none, and go without the library's part. */
async function lacksOne(
  client: pg.Client,
  schema: string,
  list: readonly MigrationObject[],
): Promise<boolean> {
  const { rows: table } = await client.query("SELECT to_regclass($1) AS name", [`${schema}.migration`]);
  if (!table[0]?.name) return true;
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migration`);
  const applied = new Set(rows.map(({ name }) => name));
  return list.some(({ name }) => !applied.has(name));
}

/** Migrations that follow each other, each in a transaction or each in none. */
interface Part {
  readonly isTransactional: boolean;
  readonly list: MigrationObject[];
}

/** Returns the migrations in their order. */
function partsOf(list: readonly MigrationObject[]): Part[] {
  const parts: Part[] = [];
  for (const migration of list) {
    const isTransactional = (migration.class.prototype as Migration).isTransactional();
    const last = parts.at(-1);
    if (last?.isTransactional === isTransactional) last.list.push(migration);
    else parts.push({ isTransactional, list: [migration] });
  }
  return parts;
}

async function run(url: string, schema: string, { isTransactional, list }: Part): Promise<void> {
  const orm = await MikroORM.init({
    ...connectionOptions(url, schema, 1, MIGRATION_MS),
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    // Each migration has its own transaction, so that locks end with the migration that needs them.
    migrations: {
      // The library takes a schema for transactions alone. Without it, it goes by the search path of the connection, which
      // has a second schema: functions keep the path that they are made with.
      ...(isTransactional ? { schema, tableName: "migration" } : { tableName: `${schema}.migration` }),
      migrationsList: list,
      snapshot: false,
      silent: true,
      allOrNothing: false,
    },
  });
  try {
    await orm.migrator.up();
  } finally {
    await orm.close(true);
  }
}
