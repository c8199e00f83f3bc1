import { textOf } from "../../contract/json-text.ts";
import type { Caller } from "../platform/caller.ts";
import { TurnsByKey } from "../platform/turns-by-key.ts";

const LARGE_CHARACTERS = 256 * 1024;
// How long a tenant's pages take turns after a large one.
const REMEMBERED_MS = 10_000;

type Page = readonly { readonly metadata?: object | undefined }[];
type Owner = Pick<Caller, "tenantId" | "mode">;

/**
 * Reads pages of payments. Those of a tenant in a mode whose pages are large are read one after the other, and so is
 * all that looks into metadata: each keeps a connection and the process busy for long, and other tenants' requests
 * would wait for all of them.
 */
export class PageTurns {
  readonly #largeUntil = new Map<string, number>();
  readonly #turns = new TurnsByKey();

  /** Error: service_unavailable if too many of the tenant's reads wait. */
  async read<Rows extends Page>(owner: Owner, read: () => Promise<Rows>, isHeavy = false): Promise<Rows> {
    const key = keyOf(owner);
    const largeUntil = this.#largeUntil.get(key);
    const isLately = largeUntil !== undefined && largeUntil > performance.now();
    if (!isLately) this.#largeUntil.delete(key);
    const rows = isLately || isHeavy ? await this.#turns.run(key, read) : await read();
    if (isLarge(rows)) this.#largeUntil.set(key, performance.now() + REMEMBERED_MS);
    return rows;
  }

  /** Runs work that looks into metadata. Error: service_unavailable if too many of the tenant's reads wait. */
  async heavy<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    return await this.#turns.run(keyOf(owner), work);
  }
}

function keyOf({ tenantId, mode }: Owner): string {
  return `${mode} ${tenantId}`;
}

function isLarge(rows: Page): boolean {
  let characters = 0;
  for (const { metadata } of rows) characters += (metadata && textOf(metadata)?.length) ?? 0;
  return characters > LARGE_CHARACTERS;
}
