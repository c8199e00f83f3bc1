import pg from "pg";

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
  async countAll(schema: "live" | "test" | "identity"): Promise<Record<string, number>> {
    const { rows: tables } = await this.#client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = $1 AND table_type = 'BASE TABLE' ORDER BY 1`,
      [schema],
    );
    const counts = tables.map(({ name }) => `(SELECT count(*)::int FROM ${schema}.${name}) AS ${name}`);
    const { rows } = await this.#client.query<Record<string, number>>(`SELECT ${counts.join(", ")}`);
    return rows[0] ?? {};
  }

  /** The rows that a query answers. */
  async read(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#client.query<Record<string, unknown>>(sql, values)).rows;
  }

  async run(sql: string, values: unknown[] = []): Promise<void> {
    await this.#client.query(sql, values);
  }
}
