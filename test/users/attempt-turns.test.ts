import { setImmediate as immediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { AttemptTurns, type AttemptOwner } from "../../src/users/attempt-turns.ts";

const REFUSED = { code: "too_many_attempts", retryAfterSeconds: 2 };

const stranger = (neighbourhood: string): AttemptOwner => ({ kind: "stranger", neighbourhood });
const known = (neighbourhood: string): AttemptOwner => ({ kind: "known", neighbourhood });
const member = (tenantId: string): AttemptOwner => ({ kind: "user", tenantId, userId: `usr_${tenantId}` });

/** Hashes that end when they are told to. */
class Hashes {
  readonly turns = new AttemptTurns();
  readonly begun: string[] = [];
  #end = (): void => undefined;

  async hash(owner: AttemptOwner): Promise<string> {
    const name = owner.kind === "user" ? owner.tenantId : owner.neighbourhood;
    return await this.turns.run(owner, async () => {
      this.begun.push(name);
      return await new Promise<string>((resolve) => {
        this.#end = () => resolve(name);
      });
    });
  }

  several(owner: AttemptOwner, count: number): Promise<string>[] {
    return Array.from({ length: count }, async () => await this.hash(owner));
  }

  async end(count: number): Promise<void> {
    for (let ended = 0; ended < count; ended++) {
      this.#end();
      await immediate();
    }
  }
}

test("hashes run one after the other, a failed one too, and the 34th of strangers at once is refused", async () => {
  const turns = new AttemptTurns();
  const one = stranger("192.0.2.0/24");
  let [running, most] = [0, 0];
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  };
  const failed = turns.run(one, () => Promise.reject(new Error("lost"))).catch(String);
  const asked = Array.from({ length: 32 }, async () => await turns.run(one, work));
  expect(() => turns.requireRoom(one)).toThrow("too many attempts");
  await expect(turns.run(one, work)).rejects.toMatchObject(REFUSED);
  expect(await failed).toBe("Error: lost");
  await Promise.all(asked);
  expect(most).toBe(1);
  await turns.run(one, work);
});

test("a stranger and a user take turns, however many of the other wait", async () => {
  const hashes = new Hashes();
  const asked = [
    ...hashes.several(member("a"), 13),
    ...hashes.several(stranger("x"), 32),
    hashes.hash(member("b")),
  ];
  await hashes.end(4);
  expect(hashes.begun).toEqual(["a", "x", "b", "x", "a"]);
  await hashes.end(42);
  expect(await Promise.all(asked)).toHaveLength(46);
});

test("tenants of users take turns, and the 14th of one tenant is refused while another's is not", async () => {
  const hashes = new Hashes();
  const asked = hashes.several(member("a"), 13);
  await expect(hashes.hash(member("a"))).rejects.toMatchObject(REFUSED);
  expect(() => hashes.turns.requireRoom(member("a"))).toThrow("too many attempts");
  hashes.turns.requireRoom(member("b"));
  asked.push(...hashes.several(member("b"), 2));
  await hashes.end(4);
  expect(hashes.begun).toEqual(["a", "b", "a", "b", "a"]);
  await hashes.end(11);
  expect(await Promise.all(asked)).toHaveLength(15);
});

test("a stranger from elsewhere takes a place of the neighbourhood that has all", async () => {
  const hashes = new Hashes();
  const asked = Promise.allSettled(hashes.several(stranger("x"), 33));
  const honest = hashes.hash(stranger("y"));
  await hashes.end(3);
  expect(hashes.begun).toEqual(["x", "y", "x", "x"]);
  expect(await honest).toBe("y");
  await hashes.end(30);
  const refused = (await asked).flatMap((result, index) => (result.status === "rejected" ? [index] : []));
  expect(refused).toEqual([32]);
});

test("known browsers have turns beside strangers and users, and fill no line but their own", async () => {
  const hashes = new Hashes();
  const asked = [
    ...hashes.several(stranger("x"), 33),
    ...hashes.several(known("x"), 32),
    hashes.hash(member("a")),
  ];
  await expect(hashes.hash(known("x"))).rejects.toMatchObject(REFUSED);
  await hashes.end(4);
  expect(hashes.begun).toEqual(["x", "x", "a", "x", "x"]);
  await hashes.end(62);
  expect(await Promise.all(asked)).toHaveLength(66);
});

test("a user has three requests at once, and the next one is refused until one has ended", async () => {
  const turns = new AttemptTurns();
  let end = (): void => undefined;
  const held = async (userId: string) =>
    await turns.within(
      userId,
      async () =>
        await new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
  const [first, second, third] = [held("usr_1"), held("usr_1"), held("usr_1")];
  await expect(held("usr_1")).rejects.toMatchObject(REFUSED);
  const other = turns.within("usr_2", async () => await Promise.resolve("other"));
  expect(await other).toBe("other");
  end();
  await third;
  const fourth = turns.within("usr_1", async () => await Promise.reject(new Error("failed")));
  await expect(fourth).rejects.toThrow("failed");
  expect(await turns.within("usr_1", async () => await Promise.resolve("ok"))).toBe("ok");
  void [first, second];
});
