import type { EntityName } from "@mikro-orm/core";
import pg from "pg";
import { objectOf } from "../../../contract/json-text.ts";
import type { Environment } from "./database.ts";
import { GroupedQuery } from "./grouped-query.ts";

/** Values as the ORM has them: a day stays a text. Long JSON is parsed when it is first looked into. */
const TYPES = new pg.TypeOverrides();
TYPES.setTypeParser(pg.types.builtins.INT8, BigInt);
TYPES.setTypeParser(pg.types.builtins.DATE, (text) => text);
TYPES.setTypeParser(pg.types.builtins.JSON, (text) => objectOf(text));

type Entities = Readonly<Record<string, EntityName>>;

/** The names of the properties of each alias, in the order of the columns. */
type Columns = readonly (readonly [alias: string, names: readonly string[]])[];

/** The rows of a query's entities, by the aliases of their tables. */
type Rows<Of extends Entities> = {
  readonly [Alias in keyof Of]: Of[Alias] extends EntityName<infer Entity> ? Entity : never;
};

/**
 * A query for rows of its entities, for paths that are hot: the ORM writes the values into the text of each of
 * its queries, and makes objects that watch themselves. Its parameters are texts.
 */
export class RowQuery<Of extends Entities> {
  readonly #name: string;
  readonly #of: Of;
  readonly #rest: string;
  readonly #without: readonly string[];
  #prepared: { readonly columns: Columns; readonly query: GroupedQuery<unknown[]> } | undefined;

  /**
   * `of`: the entities by the aliases of their tables. `rest`: all from FROM on, for a few rows. `without`: properties that
   * are not read, such as a payment's metadata, which may be long.
   */
  constructor(name: string, of: Of, rest: string, without: readonly string[] = []) {
    this.#name = name;
    this.#of = of;
    this.#rest = rest;
    this.#without = without;
  }

  /** Returns the first row, or undefined if there is none. */
  async first(environment: Environment, values: readonly string[]): Promise<Rows<Of> | undefined> {
    return (await this.all(environment, values))[0];
  }

  async all(environment: Environment, values: readonly string[]): Promise<Rows<Of>[]> {
    const { columns, query } = (this.#prepared ??= this.#prepare(environment, values.length));
    const rows = await query.rows(environment.pool, values);
    return rows.map((row) => rowsOf(columns, row) as Rows<Of>);
  }

  #prepare({ orm }: Environment, count: number) {
    const fields = Object.entries(this.#of).map(([alias, entity]) => {
      const { props } = orm.getMetadata().get(entity);
      const read = props.filter(({ name }) => !this.#without.includes(name));
      return { alias, props: read.map(({ name, fieldNames }) => ({ name, column: fieldNames[0] ?? name })) };
    });
    const selected = fields.flatMap(({ alias, props }) => props.map(({ column }) => `${alias}.${column}`));
    const query = new GroupedQuery<unknown[]>({
      name: this.#name,
      text: `SELECT ${selected.join(", ")} ${this.#rest}`,
      parameters: Array.from({ length: count }, () => "text"),
      types: TYPES,
    });
    const columns = fields.map(({ alias, props }) => [alias, props.map(({ name }) => name)] as const);
    return { columns, query };
  }
}

function rowsOf(columns: Columns, row: readonly unknown[]): Record<string, Record<string, unknown>> {
  let from = 0;
  const read: Record<string, Record<string, unknown>> = {};
  for (const [alias, names] of columns) {
    const entity: Record<string, unknown> = {};
    for (const name of names) entity[name] = row[from++];
    read[alias] = entity;
  }
  return read;
}
