import pg from "pg";

type Schema = "live" | "test" | "identity";

/** Looks past the service into its database. */
export class DatabaseRows {
  readonly #client: pg.Client;

  constructor(databaseUrl: string) {
    this.#client = new pg.Client({ connectionString: databaseUrl });
  }

  async open(): Promise<this> {
    await this.#client.connect();
    return this;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  /** The number that a query of one count answers. */
  async count(from: string, values: unknown[] = []): Promise<number> {
    const { rows } = await this.#client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${from}`,
      values,
    );
    return rows[0]?.count ?? Number.NaN;
  }

  /** Rows of every table of a schema. */
  async countAll(schema: Schema): Promise<Record<string, number>> {
    const tables = await this.#tables(schema);
    const counts = tables.map((name) => `(SELECT count(*)::int FROM ${schema}.${name}) AS ${name}`);
    const { rows } = await this.#client.query<Record<string, number>>(`SELECT ${counts.join(", ")}`);
    return rows[0] ?? {};
  }

  /** A digest of the rows of each table of a schema, but for those named. */
  async digests(schema: Schema, without: readonly string[] = []): Promise<Record<string, string>> {
    const tables = (await this.#tables(schema)).filter((name) => !without.includes(name));
    const digests = tables.map(
      (name) =>
        `(SELECT coalesce(md5(string_agg(t::text, '\n' ORDER BY t::text)), '') FROM ${schema}.${name} t) AS ${name}`,
    );
    const { rows } = await this.#client.query<Record<string, string>>(`SELECT ${digests.join(", ")}`);
    return rows[0] ?? {};
  }

  /** All rows of a schema as text. */
  async texts(schema: Schema): Promise<string> {
    const texts: string[] = [];
    for (const name of await this.#tables(schema)) {
      const { rows } = await this.#client.query<{ text: string }>(
        `SELECT t::text AS text FROM ${schema}.${name} t`,
      );
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join("\n");
  }

  /** All rows of all schemas as text, those of the jobs too. */
  async allTexts(): Promise<string> {
    const tables = await this.read(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const [row] = await this.read(`SELECT string_agg(t::text, E'\\n') AS text FROM ${String(name)} t`);
      texts.push(String(row?.["text"]));
    }
    return texts.join("\n");
  }

  async #tables(schema: Schema): Promise<string[]> {
    const { rows } = await this.#client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = $1 AND table_type = 'BASE TABLE' ORDER BY 1`,
      [schema],
    );
    return rows.map(({ name }) => name);
  }

  /** The rows that a query answers. */
  async read(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#client.query<Record<string, unknown>>(sql, values)).rows;
  }

  async run(sql: string, values: unknown[] = []): Promise<void> {
    await this.#client.query(sql, values);
  }
}
