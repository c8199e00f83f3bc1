import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type pg from "pg";

/** A database of a release and what it answered, as tools/scripts/record-release.ts keeps them. */
export interface Release {
  readonly name: string;
  readonly recordedAt: string;
  readonly recorded: readonly {
    readonly apiKey: string;
    readonly path: string;
    readonly idempotencyKey: string | null;
    readonly body: string | null;
    readonly status: number;
    readonly text: string;
  }[];
  readonly migrations: Readonly<Record<string, string[]>>;
  readonly tables: readonly { readonly schema: string; readonly table: string; readonly rows: string }[];
  readonly sequences: readonly { readonly name: string; readonly value: string }[];
}

const FOLDER = join(import.meta.dirname, "..", "releases");
const SUFFIX = ".json.gz";

/** Returns the releases that are kept, the oldest first. */
export async function keptReleases(): Promise<Release[]> {
  const files = (await readdir(FOLDER)).toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return await Promise.all(
    files.map(async (file) => {
      const text = gunzipSync(await readFile(join(FOLDER, file))).toString();
      return { ...(JSON.parse(text) as Omit<Release, "name">), name: file.replace(SUFFIX, "") };
    }),
  );
}

/** Puts the release's rows into its tables, which are empty, past the triggers that keep what is append-only. */
export async function fillTables(client: pg.Client, { tables, sequences }: Release): Promise<void> {
  await client.query("SET session_replication_role = replica");
  for (const { schema, table, rows } of tables) {
    const name = `${schema}."${table}"`;
    await client.query(
      `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $1)`,
      [rows],
    );
  }
  for (const { name, value } of sequences)
    await client.query("SELECT setval($1::regclass, $2)", [name, value]);
  await client.query("RESET session_replication_role");
}
