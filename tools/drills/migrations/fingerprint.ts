import type pg from "pg";

/** What a database is: a text for each table's rows and for each column, constraint, index, trigger and function. */
export type Fingerprint = ReadonlyMap<string, string>;

const SCHEMAS = "('identity', 'live', 'test')";
// When each migration ran, and what the first start draws at random.
const OWN_OF_EACH = "('migration', 'data_key_check')";

const OBJECTS = `
  SELECT 'column ' || table_schema || '.' || table_name || '.' || column_name AS name,
      concat_ws(' ', data_type, is_nullable, column_default, generation_expression, collation_name) AS text
    FROM information_schema.columns WHERE table_schema IN ${SCHEMAS}
  UNION ALL SELECT 'constraint ' || conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace::regnamespace::text IN ${SCHEMAS}
  UNION ALL SELECT 'index ' || schemaname || '.' || indexname, indexdef FROM pg_indexes WHERE schemaname IN ${SCHEMAS}
  UNION ALL SELECT 'trigger ' || tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid)
    FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text ~ '^(identity|live|test)\\.'
  UNION ALL SELECT 'function ' || oid::regprocedure, pg_get_functiondef(oid)
    FROM pg_proc WHERE pronamespace::regnamespace::text IN ${SCHEMAS} AND prokind = 'f'`;

/** Reads it; the rows of tables as one hash each. */
export async function fingerprint(client: pg.Client): Promise<Fingerprint> {
  const { rows } = await client.query<{ name: string; text: string }>(OBJECTS);
  const found = new Map(rows.map(({ name, text }) => [name, text]));
  const tables = await client.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_schema IN ${SCHEMAS} AND table_type = 'BASE TABLE' AND table_name NOT IN ${OWN_OF_EACH}`,
  );
  for (const { name } of tables.rows) {
    const hashed = await client.query<{ text: string | null }>(
      `SELECT count(*) || ' ' || md5(string_agg(t::text, ',' ORDER BY t::text)) AS text FROM ${name} AS t`,
    );
    found.set(`rows of ${name}`, hashed.rows[0]?.text ?? "none");
  }
  return found;
}

/** The names of what is in one only, or other in one than in the other. */
export function differences(one: Fingerprint, other: Fingerprint): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));
}
