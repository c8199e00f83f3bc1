import { setImmediate as immediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { objectOf } from "../../contract/json-text.ts";
import { metadataLength, PageTurns } from "../../src/platform/page-turns.ts";

const LARGE = [{ metadata: objectOf(JSON.stringify({ a: "x".repeat(300_000) })) }];
const A = { tenantId: "a", mode: "test" } as const;
const SMALL = [{ metadata: {} }];

/** Reads that end when they are told to. */
class Reads {
  readonly turns = new PageTurns(metadataLength);
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];

  async read(tenantId: string, rows = SMALL): Promise<unknown> {
    return await this.turns.read({ tenantId, mode: "test" }, async () => {
      this.begun.push(tenantId);
      await new Promise<void>((resolve) => {
        this.#ends.push(resolve);
      });
      return rows;
    });
  }

  async endFirst(): Promise<void> {
    this.#ends.shift()?.();
    await immediate();
    await immediate();
  }
}

test("pages of a tenant are read at once until one is large, then one after the other", async () => {
  const reads = new Reads();
  const first = [reads.read("a", LARGE), reads.read("a")];
  expect(reads.begun).toEqual(["a", "a"]);
  await reads.endFirst();
  await reads.endFirst();
  await Promise.all(first);
  const later = [reads.read("a", LARGE), reads.read("a"), reads.read("a"), reads.read("b"), reads.read("b")];
  await immediate();
  expect(reads.begun.slice(2)).toEqual(["b", "b", "a"]);
  for (let end = 0; end < later.length; end++) await reads.endFirst();
  await Promise.all(later);
  expect(reads.begun.slice(2)).toEqual(["b", "b", "a", "a", "a"]);
});

test("a failed read gives its turn on, and the 65th that would wait is refused", async () => {
  const turns = new PageTurns(metadataLength);
  await turns.read(A, () => Promise.resolve(LARGE));
  const failed = turns.read(A, () => Promise.reject(new Error("lost")));
  const waiting = Array.from({ length: 64 }, () => turns.read(A, () => Promise.resolve(SMALL)));
  await expect(turns.read(A, () => Promise.resolve(SMALL))).rejects.toThrow("Too much heavy work");
  await expect(failed).rejects.toThrow("lost");
  expect(await Promise.all(waiting)).toHaveLength(64);
  expect(await turns.read(A, () => Promise.resolve(SMALL))).toBe(SMALL);
});

test("a search takes turns whatever it finds, and not with those of the other mode", async () => {
  const turns = new PageTurns(metadataLength);
  const begun: string[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const search = (mode: "live" | "test") =>
    turns.read(
      { tenantId: "a", mode },
      async () => {
        begun.push(mode);
        await held;
        return SMALL;
      },
      true,
    );
  const searches = [search("test"), search("test"), search("live"), turns.heavy(A, async () => await held)];
  await immediate();
  expect(begun).toEqual(["test", "live"]);
  release();
  await Promise.all(searches);
  expect(begun).toEqual(["test", "live", "test"]);
});
