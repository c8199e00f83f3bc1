import pg from "pg";
import { requireShortName } from "./limited-client.ts";
import { QuerySlots } from "./query-slots.ts";

/** A SELECT that is planned once a connection. Its parameters are $1 and so on, each of a type of `parameters`. */
interface GroupedText {
  readonly name: string;
  readonly text: string;
  readonly parameters: readonly string[];
  /** How columns are read. Absent: as `pg` reads them. */
  readonly types?: pg.CustomTypesConfig;
}

interface Waiting<Row> {
  readonly values: readonly unknown[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A pool, or the connection of a transaction. */
type Source = Pick<pg.Pool, "query">;

const TOGETHER_MAX = 64;

/**
 * A query of a few rows that many ask for at once. Those that ask while two of it are in progress wait for one of them, and
 * then go together, so that each sees all that was committed before it asked. None waits for others to come.
 */
export class GroupedQuery<Row extends unknown[]> {
  readonly #query: GroupedText;
  readonly #together: string;
  readonly #groups = new WeakMap<Source, Group<Row>>();

  constructor(query: GroupedText) {
    this.#query = query;
    requireShortName(this.#togetherName);
    const asked = query.parameters.map((_, index) => `value${index + 1}`).join(", ");
    // As subqueries, so that PostgreSQL does not see their lengths: else it makes a new plan each time.
    const lists = query.parameters.map((type, index) => `(SELECT $${index + 1}::${type}[])`).join(", ");
    const text = query.text.replaceAll(/\$(\d+)/g, "asked.value$1");
    this.#together = `SELECT asked.number::int, row.*
      FROM unnest(${lists}) WITH ORDINALITY AS asked (${asked}, number), LATERAL (${text} OFFSET 0) AS row`;
  }

  /** Returns the rows of these values, each as the list of its columns. Errors: those of a query of its own. */
  async rows(source: Source, values: readonly unknown[]): Promise<readonly Row[]> {
    return await new Promise((resolve, reject) => {
      this.#groupOf(source).add({ values, resolve, reject });
    });
  }

  get #togetherName(): string {
    return `${this.#query.name}, together`;
  }

  #groupOf(source: Source): Group<Row> {
    let group = this.#groups.get(source);
    if (!group) {
      group = new Group(async (members) => await this.#answer(source, members));
      this.#groups.set(source, group);
    }
    return group;
  }

  async #answer(source: Source, members: readonly Waiting<Row>[]): Promise<void> {
    const [first] = members;
    try {
      if (first && members.length === 1) first.resolve(await this.#readOne(source, first.values));
      else await this.#readTogether(source, members);
    } catch (error) {
      // The server refuses a value: each goes alone, so that only its own fails.
      const isOfOne = error instanceof pg.DatabaseError && isDataError(error) && members.length > 1;
      if (isOfOne) await Promise.all(members.map(async (member) => await this.#answer(source, [member])));
      else for (const { reject } of members) reject(error);
    }
  }

  async #readOne(source: Source, values: readonly unknown[]): Promise<readonly Row[]> {
    const { name, text, types } = this.#query;
    const query = { name, text, values: [...values], rowMode: "array" as const, ...(types && { types }) };
    return (await source.query<Row>(query)).rows;
  }

  async #readTogether(source: Source, members: readonly Waiting<Row>[]): Promise<void> {
    const { parameters, types } = this.#query;
    const values = parameters.map((_, index) => members.map((member) => member.values[index]));
    const query = { name: this.#togetherName, text: this.#together, values, rowMode: "array" as const };
    const { rows } = await source.query<[number: number | string, ...row: Row]>({
      ...query,
      ...(types && { types }),
    });
    const found = members.map((): Row[] => []);
    for (const [number, ...row] of rows) found[Number(number) - 1]?.push(row);
    for (const [index, { resolve }] of members.entries()) resolve(found[index] ?? []);
  }
}

/** Class 22 of SQL's codes. */
function isDataError({ code = "" }: pg.DatabaseError): boolean {
  return code.startsWith("22");
}

/** Those that wait for the query of one pool. */
class Group<Row> {
  readonly #answer: (members: readonly Waiting<Row>[]) => Promise<void>;
  readonly #waiting: Waiting<Row>[] = [];
  readonly #slots = new QuerySlots();

  constructor(answer: (members: readonly Waiting<Row>[]) => Promise<void>) {
    this.#answer = answer;
  }

  add(one: Waiting<Row>): void {
    this.#waiting.push(one);
    this.#next();
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#slots.free > 0) {
      const share = Math.min(TOGETHER_MAX, Math.ceil(this.#waiting.length / this.#slots.free));
      this.#slots.run(this.#answer(this.#waiting.splice(0, share)), () => this.#next());
    }
  }
}
