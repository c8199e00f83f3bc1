import { setImmediate as immediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { CHANGE_PLACES, READ_PLACES, TenantPlaces } from "../../src/platform/tenant-places.ts";

const never = { signal: new AbortController().signal };

/** Calls that end when they are told to. */
class Calls {
  readonly places: TenantPlaces;
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];

  constructor(counts = READ_PLACES) {
    this.places = new TenantPlaces(counts);
  }

  async run(tenantId: string, method: string, context = never): Promise<void> {
    await this.places.run({ mode: "live", tenantId, method, context }, async () => {
      this.begun.push(`${tenantId} ${method}`);
      await new Promise<void>((resolve) => {
        this.#ends.push(resolve);
      });
    });
  }

  async endAll(): Promise<void> {
    while (this.#ends.length > 0) {
      for (const end of this.#ends.splice(0)) end();
      await immediate();
    }
  }
}

test("an owner has four places for an RPC and five in all, and other owners have their own", async () => {
  const reads = new Calls();
  const methods = ["sum", "sum", "sum", "sum", "sum", "list", "list", "find"];
  const asked = methods.map(async (method) => await reads.run("a", method));
  asked.push(reads.run("b", "sum"));
  expect(reads.begun).toEqual(["a sum", "a sum", "a sum", "a sum", "a list", "b sum"]);
  await reads.endAll();
  await Promise.all(asked);
  expect(reads.begun.slice(6).toSorted()).toEqual(["a find", "a list", "a sum"]);
});

test("beside two slow reads of an owner no other one begins, until one of them ends", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const reads = new Calls();
  const asked = ["sum", "sum"].map(async (method) => await reads.run("a", method));
  vi.advanceTimersByTime(51);
  asked.push(reads.run("a", "list"), reads.run("a", "find"), reads.run("b", "list"));
  expect(reads.begun).toEqual(["a sum", "a sum", "b list"]);
  await reads.endAll();
  await Promise.all(asked);
  expect(reads.begun.slice(3)).toEqual(["a list", "a find"]);
});

test("changes have one place for an RPC and two in all", async () => {
  const changes = new Calls(CHANGE_PLACES);
  const methods = ["seal", "seal", "resend", "verify", "seal"];
  const asked = methods.map(async (method) => await changes.run("a", method));
  asked.push(changes.run("b", "seal"));
  expect(changes.begun).toEqual(["a seal", "a resend", "b seal"]);
  await changes.endAll();
  await Promise.all(asked);
  expect(changes.begun.slice(3).toSorted()).toEqual(["a seal", "a seal", "a verify"]);
});

test("one RPC's calls for all tenants have three places, and the tenants that wait take turns", async () => {
  const changes = new Calls(CHANGE_PLACES);
  const tenants = ["a", "a", "a", "b", "c", "d", "d", "e"];
  const asked = tenants.map(async (tenant) => await changes.run(tenant, "seal"));
  asked.push(changes.run("d", "resend"));
  expect(changes.begun).toEqual(["a seal", "b seal", "c seal", "d resend"]);
  await changes.endAll();
  await Promise.all(asked);
  const later = changes.begun.slice(4);
  expect(later.slice(0, 3).toSorted()).toEqual(["a seal", "d seal", "e seal"]);
  expect(later.slice(3).toSorted()).toEqual(["a seal", "d seal"]);
});

test("a tenant that leaves while others hold the places is forgotten", async () => {
  const changes = new Calls(CHANGE_PLACES);
  const asked = ["a", "b", "c"].map(async (tenant) => await changes.run(tenant, "seal"));
  const caller = new AbortController();
  const left = changes.run("d", "seal", caller);
  caller.abort(new Error("canceled"));
  await expect(left).rejects.toThrow("canceled");
  asked.push(changes.run("d", "seal"));
  await changes.endAll();
  await Promise.all(asked);
  expect(changes.begun).toEqual(["a seal", "b seal", "c seal", "d seal"]);
});

test("a read whose caller waits no more leaves its place in the line, and a failed one gives its place on", async () => {
  const reads = new Calls({ ...READ_PLACES, ofMethod: 2 });
  const caller = new AbortController();
  const asked = [reads.run("a", "sum"), reads.run("a", "sum")];
  const left = reads.run("a", "sum", caller);
  const gone = reads.run("a", "sum", { signal: AbortSignal.abort(new Error("gone")) });
  const lost = (): Promise<never> => Promise.reject(new Error("lost"));
  const failed = reads.places
    .run({ mode: "live", tenantId: "a", method: "sum", context: never }, lost)
    .catch(String);
  caller.abort(new Error("canceled"));
  await expect(left).rejects.toThrow("canceled");
  await expect(gone).rejects.toThrow("gone");
  await reads.endAll();
  await Promise.all(asked);
  expect(await failed).toBe("Error: lost");
  expect(reads.begun).toHaveLength(2);
  const next = [reads.run("a", "sum"), reads.run("a", "sum")];
  expect(reads.begun).toHaveLength(4);
  await reads.endAll();
  await Promise.all(next);
});

test("the 513th read that would wait is refused", async () => {
  const reads = new Calls();
  const asked = Array.from({ length: READ_PLACES.ofMethod + 512 }, async () => await reads.run("a", "sum"));
  await expect(reads.run("a", "sum")).rejects.toThrow("Too many calls");
  await reads.endAll();
  expect(await Promise.all(asked)).toHaveLength(516);
});
