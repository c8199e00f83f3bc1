import { textOf } from "../../contract/json-text.ts";
import type { Caller } from "./caller.ts";
import { TurnsByKey } from "./turns-by-key.ts";

const LARGE_CHARACTERS = 256 * 1024;
// How long a tenant's pages take turns after a large one.
const REMEMBERED_MS = 10_000;

type Owner = Pick<Caller, "tenantId" | "mode">;

/** Returns the length of a row's metadata if it is kept unparsed, as long ones are. */
export function metadataLength({ metadata }: { readonly metadata?: object | undefined }): number {
  return (metadata && textOf(metadata)?.length) ?? 0;
}

/**
 * Reads pages of a list. Those of a tenant in a mode whose pages are large are read one after the other, and so is
 * all that looks into metadata: each keeps a connection and the process busy for long, and other tenants' requests
 * would wait for all of them.
 */
export class PageTurns<Row> {
  readonly #lengthOf: (row: Row) => number;
  readonly #largeUntil = new Map<string, number>();
  readonly #turns = new TurnsByKey();

  /** `lengthOf`: the characters or bytes of a row. */
  constructor(lengthOf: (row: Row) => number) {
    this.#lengthOf = lengthOf;
  }

  /** Error: service_unavailable if too many of the tenant's reads wait. */
  async read<Rows extends readonly Row[]>(
    owner: Owner,
    read: () => Promise<Rows>,
    isHeavy = false,
  ): Promise<Rows> {
    const key = keyOf(owner);
    const largeUntil = this.#largeUntil.get(key);
    const isLately = largeUntil !== undefined && largeUntil > performance.now();
    if (!isLately) this.#largeUntil.delete(key);
    const rows = isLately || isHeavy ? await this.#turns.run(key, read) : await read();
    if (this.#isLarge(rows)) this.#largeUntil.set(key, performance.now() + REMEMBERED_MS);
    return rows;
  }

  /** Runs work that looks into metadata. Error: service_unavailable if too many of the tenant's reads wait. */
  async heavy<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    return await this.#turns.run(keyOf(owner), work);
  }

  #isLarge(rows: readonly Row[]): boolean {
    let characters = 0;
    for (const row of rows) characters += this.#lengthOf(row);
    return characters > LARGE_CHARACTERS;
  }
}

function keyOf({ tenantId, mode }: Owner): string {
  return `${mode} ${tenantId}`;
}
