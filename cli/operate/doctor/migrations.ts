import type pg from "pg";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("migrations");

/** Names of migrations by schema. */
type Names = ReadonlyMap<string, readonly string[]>;

/** Returns the migrations that a database has. A schema that does not exist yet has none. */
export async function lookAtMigrations(client: pg.Client, schemas: Iterable<string>): Promise<Names> {
  const applied = new Map<string, string[]>();
  for (const schema of schemas) {
    const table = client.escapeIdentifier(schema);
    const { rows: found } = await client.query(`SELECT to_regclass($1) AS name`, [`${table}.migration`]);
    if (!found[0]?.name) continue;
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${table}.migration ORDER BY id`);
    applied.set(
      schema,
      rows.map(({ name }) => name),
    );
  }
  return applied;
}

export function judgeMigrations(applied: Names, known: Names): Finding {
  const missing = difference(known, applied);
  const unknown = difference(applied, known);
  if (unknown.length > 0) {
    return problem(
      `the database has ${unknown.join(", ")}, which this version does not know`,
      "A newer version has migrated it: run that one. Migrations only go forward.",
    );
  }
  const total = [...known.values()].flat().length;
  if (missing.length === 0) return ok(`all ${total} are applied`);
  if (missing.length === total) return warning("none is applied yet", "The first start applies them.");
  return warning(
    `${missing.join(", ")} not applied yet`,
    "The next start applies them: back the database up before.",
  );
}

/** Returns the names in `these` that are missing in `those`. */
function difference(these: Names, those: Names): string[] {
  return [...these].flatMap(([schema, names]) =>
    names.filter((name) => !those.get(schema)?.includes(name)).map((name) => `${schema}/${name}`),
  );
}
