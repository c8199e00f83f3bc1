import { setImmediate as immediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { DecoderPlaces } from "../../src/media/decoder-places.ts";

/** Pictures whose decoding ends when it is told to. */
class Pictures {
  readonly places = new DecoderPlaces();
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  async decode(name: string, isCostly = false): Promise<string> {
    return await this.places.run(name.slice(0, 1), async (onCostly) => {
      this.begun.push(name);
      if (isCostly) onCostly();
      return await new Promise<string>((resolve) => {
        this.#ends.set(name, () => resolve(name));
      });
    });
  }

  /** Starts this many of a tenant. */
  several(tenant: string, count: number): Promise<string>[] {
    return Array.from({ length: count }, async (_, index) => await this.decode(`${tenant}${index + 1}`));
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    this.#ends.delete(name);
    await immediate();
  }

  async endAll(): Promise<void> {
    while (this.#ends.size > 0) for (const name of this.#ends.keys()) await this.end(name);
  }
}

test("a tenant has one place, and all tenants together two", async () => {
  const pictures = new Pictures();
  const asked = [...pictures.several("a", 3), ...pictures.several("b", 1), ...pictures.several("c", 1)];
  expect(pictures.begun).toEqual(["a1", "b1"]);
  await pictures.end("a1");
  expect(pictures.begun).toEqual(["a1", "b1", "c1"]);
  await pictures.endAll();
  expect(await Promise.all(asked)).toEqual(["a1", "a2", "a3", "b1", "c1"]);
});

test("tenants take turns, however many pictures of the first ones wait", async () => {
  const pictures = new Pictures();
  const asked = [...pictures.several("a", 13), ...pictures.several("b", 13), ...pictures.several("c", 2)];
  for (const name of ["a1", "b1", "c1", "a2"]) await pictures.end(name);
  expect(pictures.begun).toEqual(["a1", "b1", "c1", "a2", "b2", "c2"]);
  await pictures.endAll();
  expect(await Promise.all(asked)).toHaveLength(28);
});

test("the 14th picture of a tenant is refused, and another tenant's is not", async () => {
  const pictures = new Pictures();
  const asked = pictures.several("a", 13);
  await expect(pictures.decode("a14")).rejects.toMatchObject({ code: "service_unavailable" });
  asked.push(pictures.decode("b1"));
  expect(pictures.begun).toEqual(["a1", "b1"]);
  await pictures.endAll();
  expect(await Promise.all(asked)).toHaveLength(14);
});

test("a picture for which no more may wait takes the place of one of the tenant that has the most", async () => {
  const pictures = new Pictures();
  const asked = [
    ...pictures.several("a", 13),
    ...pictures.several("b", 11),
    ...["c", "d"].flatMap((tenant) => pictures.several(tenant, 12)),
    ...pictures.several("e", 2),
  ];
  const results = Promise.allSettled(asked);
  // 12, 10, 12, 12 and 2 wait.
  const next = pictures.decode("f1");
  await pictures.endAll();
  expect(await next).toBe("f1");
  const refused = (await results).flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
  expect(refused).toEqual([12]);
});

test("tenants with a costly picture have one place together, also for those that waited before, and no other waits for them", async () => {
  const pictures = new Pictures();
  const asked = ["a1", "b1"].map(async (name) => await pictures.decode(name, true));
  asked.push(...["a2", "b2", "c1", "d1"].map(async (name) => await pictures.decode(name)));
  await pictures.end("a1");
  await pictures.end("b1");
  expect(pictures.begun).toEqual(["a1", "b1", "a2", "c1", "d1"]);
  await pictures.end("a2");
  expect(pictures.begun).toEqual(["a1", "b1", "a2", "c1", "d1", "b2"]);
  await pictures.endAll();
  expect(await Promise.all(asked)).toHaveLength(6);
});

test("a failed decoding gives its place on", async () => {
  const pictures = new Pictures();
  const failed = pictures.places.run("a", () => Promise.reject(new Error("damaged")));
  const asked = pictures.several("a", 2);
  await expect(failed).rejects.toThrow("damaged");
  await pictures.endAll();
  expect(await Promise.all(asked)).toHaveLength(2);
});
