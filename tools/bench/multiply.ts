import pg from "pg";

const ID = /\b(?:pay|pl|prc|evt|pi|qt)_[0-9a-z]{26}\b/g;
const MINUTES_APART = 1;

interface Column {
  readonly name: string;
  readonly type: string;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** All rows that one payment of a tenant has left in test mode, every value as text. */
export type Left = ReadonlyMap<Table, readonly Record<string, string | null>[]>;

/** Reads what the tenant's only payment has left. */
export async function leftByPayment(connectionString: string, tenantId: string): Promise<Left> {
  return await connected(connectionString, async (client) => {
    const left = new Map<Table, readonly Record<string, string | null>[]>();
    for (const table of await tablesOf(client)) left.set(table, await originals(client, table, tenantId));
    return left;
  });
}

/**
 * Copies the rows: `from` to before `until` times, each copy a minute older than the last, with ids made of its number.
 * Other triggers than that of the balances, and references, are not looked at.
 */
export async function multiply(
  connectionString: string,
  left: Left,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<void> {
  await connected(connectionString, async (client) => {
    await client.query("SET session_replication_role = replica; SET synchronous_commit = off");
    // The copies belong to the balances.
    await client.query("ALTER TABLE test.ledger_line ENABLE ALWAYS TRIGGER ledger_line_unsummed");
    for (const [table, rows] of left) {
      for (const row of rows) {
        const values = table.columns.map((column) => copied(row[column.name] ?? null, column));
        const names = table.columns.map(({ name }) => `"${name}"`);
        await client.query(
          `INSERT INTO ${table.name} (${names.join(", ")})
           SELECT ${values.join(", ")} FROM generate_series(${from}, ${until - 1}) AS n`,
        );
      }
      await client.query(`VACUUM ANALYZE ${table.name}`);
    }
    await client.query("ALTER TABLE test.ledger_line ENABLE TRIGGER ledger_line_unsummed");
    // What is measured next does not wait for the copies to be written.
    await client.query("CHECKPOINT");
  });
}

async function connected<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString, options: "-c search_path=test,identity" });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The tables with rows of a tenant, without columns that the database fills itself. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<{ table: string; columns: Column[] }>(
    `SELECT format('%I.%I', c.table_schema, c.table_name) AS table,
       json_agg(json_build_object('name', c.column_name, 'type', c.udt_name) ORDER BY c.ordinal_position) AS columns
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE (table_schema = 'test' OR table_name = 'route') AND t.table_type = 'BASE TABLE'
       AND c.is_identity = 'NO' AND c.is_generated = 'NEVER'
     GROUP BY 1 HAVING bool_or(c.column_name = 'tenant_id')`,
  );
  return rows.map(({ table, columns }) => ({ name: table, columns }));
}

/** The rows that name the tenant's payment or what it was made of. */
async function originals(
  client: pg.Client,
  { name, columns }: Table,
  tenantId: string,
): Promise<Record<string, string | null>[]> {
  const texts = columns.map((column) => `"${column.name}"::text`).join(", ");
  const { rows } = await client.query<Record<string, string | null>>(
    `SELECT ${texts} FROM ${name} WHERE tenant_id = $1`,
    [tenantId],
  );
  return rows.filter((row) => Object.values(row).some((value) => value !== null && value.search(ID) >= 0));
}

/** The expression of a value in copy `n`. */
function copied(value: string | null, { type }: Column): string {
  if (value === null) return "NULL";
  const literal = pg.escapeLiteral(value);
  if (type === "timestamptz") return `${literal}::timestamptz - n * interval '${MINUTES_APART} minutes'`;
  const ids = [...new Set(value.match(ID))];
  const text = ids.reduce((inner, id) => {
    const prefix = id.slice(0, id.indexOf("_") + 1);
    return `replace(${inner}, '${id}', '${prefix}' || lpad(n::text, 26, '0'))`;
  }, literal);
  return `(${text})::${type.startsWith("_") ? `${type.slice(1)}[]` : type}`;
}
