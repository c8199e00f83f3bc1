import pg from "pg";
import { expect, test } from "vitest";
import { AnnouncedCache } from "../../src/platform/db/cache.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";

const database = await cloneDatabase();
const cache = new AnnouncedCache(database.url, () => undefined);
await cache.listen();
await forFile(Promise.resolve(cache));
const client = new pg.Client({ connectionString: database.url });
await client.connect();
await forFile(Promise.resolve({ close: async () => await client.end() }));

/** A read that ends when the test says so. */
class Reads {
  count = 0;
  #end = Promise.withResolvers<string>();
  readonly load = async (): Promise<string> => {
    this.count++;
    return await this.#end.promise;
  };
  end(value: string): void {
    this.#end.resolve(value);
    this.#end = Promise.withResolvers();
  }
}

test("requests at the same time share one read, and later ones have its value until a change is announced", async () => {
  const reads = new Reads();
  const asked = Array.from({ length: 5 }, async () => await cache.get("a:1", reads.load));
  reads.end("first");
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 5 }, () => "first"));
  expect(await cache.get("a:1", reads.load)).toBe("first");
  expect(reads.count).toBe(1);
  await client.query("SELECT pg_notify('paylink_changed', 'a')");
  const changed = async () => {
    const value = cache.get("a:1", reads.load);
    reads.end("second");
    return await value;
  };
  await expect.poll(changed).toBe("second");
  expect(reads.count).toBe(2);
});

test("a read that began before an announcement is neither shared after it nor kept", async () => {
  const [before, after] = [new Reads(), new Reads()];
  const first = cache.get("b", before.load);
  cache.drop("b");
  const second = cache.get("b", after.load);
  before.end("old");
  after.end("new");
  expect([await first, await second]).toEqual(["old", "new"]);
  expect(await cache.get("b", before.load)).toBe("new");
});

test("a read that fails fails those that share it, and the next one reads anew", async () => {
  let count = 0;
  const load = async (): Promise<string> => {
    count++;
    await Promise.resolve();
    if (count === 1) throw new Error("lost");
    return "found";
  };
  const asked = [cache.get("c", load), cache.get("c", load)];
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await cache.get("c", load)).toBe("found");
});

test("a read that began before the cache listened is not kept: what was announced meanwhile is missed", async () => {
  const reads = new Reads();
  const late = new AnnouncedCache(database.url, () => undefined);
  const first = late.get("d", reads.load);
  await late.listen();
  reads.end("old");
  expect(await first).toBe("old");
  const next = late.get("d", reads.load);
  reads.end("new");
  expect(await next).toBe("new");
  await late.close();
});
