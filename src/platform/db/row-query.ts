import type { EntityName } from "@mikro-orm/core";
import pg from "pg";
import type { Environment } from "./database.ts";

/** Values as the ORM has them: a day stays a text. */
const TYPES = new pg.TypeOverrides();
TYPES.setTypeParser(pg.types.builtins.INT8, BigInt);
TYPES.setTypeParser(pg.types.builtins.DATE, (text) => text);

type Entities = Readonly<Record<string, EntityName>>;

/** The names of the properties of each alias, in the order of the columns. */
type Columns = readonly (readonly [alias: string, names: readonly string[]])[];

/** The rows of a query's entities, by the aliases of their tables. */
type Rows<Of extends Entities> = {
  readonly [Alias in keyof Of]: Of[Alias] extends EntityName<infer Entity> ? Entity : never;
};

/**
 * A query for the rows of entities that is planned once a connection, for paths that are hot: the ORM writes the values
 * into the text of each of its queries, and makes objects that watch themselves.
 */
export class RowQuery<Of extends Entities> {
  readonly #name: string;
  readonly #of: Of;
  readonly #rest: string;
  #columns: Columns | undefined;
  #text = "";

  /** `of`: the entities by the aliases of their tables. `rest`: all from FROM on. */
  constructor(name: string, of: Of, rest: string) {
    this.#name = name;
    this.#of = of;
    this.#rest = rest;
  }

  /** Returns the first row, or undefined if the query finds no row. */
  async first(environment: Environment, values: readonly unknown[]): Promise<Rows<Of> | undefined> {
    const columns = (this.#columns ??= this.#prepare(environment));
    const { rows } = await environment.pool.query<unknown[]>({
      name: this.#name,
      text: this.#text,
      values: [...values],
      rowMode: "array",
      types: TYPES,
    });
    const [row] = rows;
    if (!row) return undefined;
    let from = 0;
    const read: Record<string, Record<string, unknown>> = {};
    for (const [alias, names] of columns) {
      const entity: Record<string, unknown> = {};
      for (const name of names) entity[name] = row[from++];
      read[alias] = entity;
    }
    return read as Rows<Of>;
  }

  #prepare({ orm }: Environment): Columns {
    const fields = Object.entries(this.#of).map(([alias, entity]) => {
      const { props } = orm.getMetadata().get(entity);
      return { alias, props: props.map(({ name, fieldNames }) => ({ name, column: fieldNames[0] ?? name })) };
    });
    const selected = fields.flatMap(({ alias, props }) => props.map(({ column }) => `${alias}.${column}`));
    this.#text = `SELECT ${selected.join(", ")} ${this.#rest}`;
    return fields.map(({ alias, props }) => [alias, props.map(({ name }) => name)] as const);
  }
}
