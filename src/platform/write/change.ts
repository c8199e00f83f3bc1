import type { EntityName, MetadataStorage } from "@mikro-orm/core";
import type pg from "pg";

/** A change that is one part of the commit's query. */
export type RowChange =
  | { readonly kind: "insert"; readonly entity: EntityName; readonly row: Fields }
  | { readonly kind: "insertAll"; readonly entity: EntityName; readonly rows: readonly Fields[] }
  | { readonly kind: "update"; readonly entity: EntityName; readonly where: Fields; readonly set: Fields }
  | { readonly kind: "hold"; readonly entity: EntityName; readonly where: Fields }
  | { readonly kind: "notify"; readonly topic: string };

/** A change that inserts rows. */
export type InsertChange = Extract<RowChange, { kind: "insert" | "insertAll" }>;

/** A change that requires one row as it was read. */
export type GuardChange = Extract<RowChange, { kind: "update" | "hold" }>;

/** Work of a library on the commit's connection. */
interface Within {
  readonly kind: "within";
  readonly run: (client: pg.PoolClient) => Promise<void>;
}

/** A write, decided before any write happens. The functions below make it. */
export type Change = RowChange | Within;

type Fields = Readonly<Record<string, unknown>>;

export type Row<Entity> = { readonly [Key in keyof Entity as Key extends string ? Key : never]: Entity[Key] };

/** Inserts a row. */
export function insert<Entity extends object>(entity: EntityName<Entity>, row: Row<Entity>): Change {
  return { kind: "insert", entity, row };
}

/** Inserts any number of rows. They may not have array columns. */
export function insertAll<Entity extends object>(
  entity: EntityName<Entity>,
  rows: readonly Row<Entity>[],
): Change {
  return { kind: "insertAll", entity, rows };
}

/**
 * Updates the one row that matches all of `where` (null: the column is null). If no row matches, another process was
 * first: the whole commit is rolled back and the operation is decided again.
 */
export function update<Entity extends object>(
  entity: EntityName<Entity>,
  where: Partial<Row<Entity>>,
  set: Partial<Row<Entity>>,
): Change {
  return { kind: "update", entity, where, set };
}

/**
 * Requires one row that matches all of `where`, and locks it against changes until the commit. Fails as `update` does.
 */
export function hold<Entity extends object>(entity: EntityName<Entity>, where: Partial<Row<Entity>>): Change {
  return { kind: "hold", entity, where };
}

/** Notifies every process at the commit to drop its cached values of the topic. */
export function notify(topic: string): Change {
  return { kind: "notify", topic };
}

/** Runs work in the same transaction, after the rows are written. Its error rolls them back. */
export function within(run: (client: pg.PoolClient) => Promise<void>): Change {
  return { kind: "within", run };
}

/** The SQL of one kind of change, with `$` for each parameter, and the family of those of its kind and table. */
export interface ChangeShape {
  readonly id: number;
  readonly family: string;
  readonly kind: RowChange["kind"];
  readonly sql: string;
}

/** The columns of a guarded change: those that it sets, and those that must have a value or null. */
export interface GuardShape {
  readonly id: number;
  readonly kind: GuardChange["kind"];
  readonly table: Table;
  readonly set: readonly Column[];
  readonly where: readonly Column[];
  readonly isNull: readonly Column[];
}

export interface Column {
  readonly property: string;
  readonly name: string;
  readonly type: string;
}

/** A table. Its name is quoted for SQL. */
export interface Table {
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly list: readonly Column[];
}

/** Builds the SQL of changes from the entities' metadata. */
export class ChangeShapes {
  readonly #metadata: MetadataStorage;
  readonly #shapes = new Map<string, ChangeShape>();
  readonly #guards = new Map<string, GuardShape>();
  readonly #tables = new Map<EntityName, Table>();

  constructor(metadata: MetadataStorage) {
    this.#metadata = metadata;
  }

  /** Returns the change's shape, and appends its parameters to `values` in the order of the SQL. */
  shapeOf(change: RowChange, values: unknown[]): ChangeShape {
    if (change.kind === "notify") {
      values.push(change.topic);
      return this.#shape("notify", "notify", () => "pg_notify('paylink_changed', $::text)");
    }
    const table = this.tableOf(change.entity);
    if (change.kind === "insert") {
      for (const column of table.list) values.push(encode(column, change.row[column.property]));
      return this.#shape(`insert ${table.name}`, "insert", () => insertSql(table));
    }
    if (change.kind === "insertAll") {
      for (const column of table.list) {
        values.push(change.rows.map((row) => encode(column, row[column.property])));
      }
      return this.#shape(`insert all ${table.name}`, "insertAll", () => insertAllSql(table));
    }
    const guard = this.guardOf(change);
    for (const [index, value] of guardValues(change, guard).entries())
      values.push(encode((guard.set[index] ?? guard.where[index - guard.set.length]) as Column, value));
    const sql = (): string => guardSql(guard);
    return this.#shape(`guard ${guard.id}`, change.kind, sql, `${change.kind} ${table.name}`);
  }

  /** Returns the shape of a guarded change. */
  guardOf(change: GuardChange): GuardShape {
    const set = change.kind === "update" ? Object.keys(change.set) : [];
    const [isNull, where] = partition(
      Object.keys(change.where),
      (property) => change.where[property] === null,
    );
    const table = this.tableOf(change.entity);
    const key = `${change.kind} ${table.name} ${set.join()} ${where.join()} ${isNull.join()}`;
    let guard = this.#guards.get(key);
    if (!guard) {
      const columns = (properties: readonly string[]): Column[] =>
        properties.map((property) => columnOf(table, property));
      guard = {
        id: this.#guards.size,
        kind: change.kind,
        table,
        set: columns(set),
        where: columns(where),
        isNull: columns(isNull),
      };
      this.#guards.set(key, guard);
    }
    return guard;
  }

  #shape(key: string, kind: RowChange["kind"], sql: () => string, family = key): ChangeShape {
    let shape = this.#shapes.get(key);
    if (!shape) {
      shape = { id: this.#shapes.size, family, kind, sql: sql() };
      this.#shapes.set(key, shape);
    }
    return shape;
  }

  tableOf(entity: EntityName): Table {
    let table = this.#tables.get(entity);
    if (!table) {
      const meta = this.#metadata.get(entity);
      const list = meta.props.map((property) => ({
        property: property.name,
        name: property.fieldNames[0] as string,
        type: property.columnTypes[0] as string,
      }));
      table = {
        name: meta.schema ? `"${meta.schema}"."${meta.tableName}"` : `"${meta.tableName}"`,
        columns: new Map(list.map((item) => [item.property, item])),
        list,
      };
      this.#tables.set(entity, table);
    }
    return table;
  }
}

function columnOf(table: Table, property: string): Column {
  const found = table.columns.get(property);
  if (!found) throw new Error(`${table.name} has no property ${property}`);
  return found;
}

function encode({ type }: Column, value: unknown): unknown {
  if (value === undefined) return null;
  return type.startsWith("json") && value !== null ? JSON.stringify(value) : value;
}

function insertSql({ name: table, list }: Table): string {
  const names = list.map(({ name }) => `"${name}"`).join(", ");
  const values = list.map(({ type }) => `$::${type}`).join(", ");
  return `INSERT INTO ${table} (${names}) SELECT ${values} FROM claim`;
}

function insertAllSql({ name: table, list }: Table): string {
  const names = list.map(({ name }) => `"${name}"`).join(", ");
  const values = list.map(({ type }) => `$::${type}[]`).join(", ");
  return `INSERT INTO ${table} (${names}) SELECT new.* FROM claim, unnest(${values}) AS new`;
}

function guardSql({ kind, table: { name: table }, set, where, isNull }: GuardShape): string {
  const condition = [
    ...where.map(({ name, type }) => `"${name}" = $::${type}`),
    ...isNull.map(({ name }) => `"${name}" IS NULL`),
  ].join(" AND ");
  if (kind === "hold")
    return `SELECT 1 FROM ${table} WHERE ${condition} AND EXISTS (SELECT FROM claim) FOR SHARE`;
  const assignments = set.map(({ name, type }) => `"${name}" = $::${type}`).join(", ");
  return `UPDATE ${table} SET ${assignments} FROM claim WHERE ${condition} RETURNING 1`;
}

/** Returns the values of a guarded change, in the order of its shape's `set` and `where`. */
export function guardValues(change: GuardChange, { set, where }: GuardShape): unknown[] {
  const given = change.kind === "update" ? change.set : {};
  return [
    ...set.map(({ property }) => given[property]),
    ...where.map(({ property }) => change.where[property]),
  ];
}

function partition(
  properties: readonly string[],
  isFirst: (property: string) => boolean,
): [string[], string[]] {
  return [properties.filter(isFirst), properties.filter((property) => !isFirst(property))];
}
