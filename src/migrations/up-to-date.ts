import { readdirSync } from "node:fs";
import type pg from "pg";
import { MODES } from "../platform/rpc/caller.ts";
import { LimitedClient, requireWritable } from "../platform/db/limited-client.ts";

const FILE = /^((identity|environment)-\d{4})\.ts$/;
const ABSENT: ReadonlySet<unknown> = new Set(["42P01", "3F000"]);

/**
 * Brings the schemas up to date. Most starts find nothing to do, and find that by a few questions: what changes schemas
 * is not even loaded.
 */
export async function bringUpToDate(url: string): Promise<void> {
  if (await isUpToDate(url)) return;
  const { migrate } = await import("./migrate.ts");
  await migrate(url);
}

async function isUpToDate(url: string): Promise<boolean> {
  const client = new LimitedClient({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    requireWritable(client);
    const names = readdirSync(import.meta.dirname).flatMap((file) => [FILE.exec(file)?.slice(1) ?? []]);
    for (const schema of ["identity", ...MODES]) {
      const part = schema === "identity" ? schema : "environment";
      const own = names.flatMap(([name, of]) => (of === part && name !== undefined ? [name] : []));
      const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migration`);
      const applied = new Set(rows.map(({ name }) => name));
      if (!own.every((name) => applied.has(name))) return false;
    }
    return true;
  } catch (error) {
    if (ABSENT.has((error as pg.DatabaseError).code)) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
