import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { PASSWORD, People, tokenHash, type Person } from "../support/person.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

const ATTEMPTS_MAX = 10;

let service: TestService;
let people: People;
let rows: DatabaseRows;
let tenant: TestTenant;
let person: Person;
beforeAll(async () => {
  service = await startService();
  people = new People(service);
  rows = await new DatabaseRows(service.databaseUrl).open();
  tenant = await service.createTenant();
});
beforeEach(async () => {
  person = await people.join(tenant.id);
});
afterAll(async () => {
  await rows.close();
  await service.close();
});

const attempt = (email: string, password = PASSWORD, code = people.nextCode(person.secret), address = "") =>
  codeOf(people.users.signIn({ email, password, code, address }, people.internal));

describe("a sign-in", () => {
  test("with address, password and code starts a session of the person in their tenant", async () => {
    const { session } = await people.sessionOf(await people.signIn(person));
    expect(session).toMatchObject({
      user: { id: person.id, email: person.email, name: person.name },
      membership: { tenantId: tenant.id, role: Role.OWNER },
      memberships: [{ tenantId: tenant.id, role: Role.OWNER }],
    });
    expect(session?.id).toMatch(/^ses_/);
  });

  test("takes the address in any case and with spaces around, and the code with one inside", async () => {
    const code = people.nextCode(person.secret).replace(/^.../, "$& ");
    expect(await attempt(` ${person.email.toUpperCase()} `, PASSWORD, code)).toBe("ok");
  });

  test("takes a code of the step before and of the one after", async () => {
    const early = people.nextCode(person.secret);
    service.clock.advance(30);
    expect(await attempt(person.email, PASSWORD, early)).toBe("ok");
    service.clock.advance(60);
    const late = people.codeOf(person.secret);
    service.clock.advance(-30);
    expect(await attempt(person.email, PASSWORD, late)).toBe("ok");
  });

  test("goes to the tenant that the person last signed in to", async () => {
    const other = await service.createTenant();
    const token = await people.joinAlso(person, other.id, Role.VIEWER);
    expect((await people.sessionOf(await people.signIn(person))).session?.membership).toMatchObject({
      tenantId: other.id,
      role: Role.VIEWER,
    });
    service.clock.advance(1);
    await people.users.switchTenant({ tokenHash: tokenHash(token), tenantId: tenant.id }, people.internal);
    const { session } = await people.sessionOf(await people.signIn(person));
    expect(session?.membership?.tenantId).toBe(tenant.id);
    expect(session?.memberships).toHaveLength(2);
  });

  test("keeps of password, token and secret nothing that could be read", async () => {
    const token = await people.signIn(person);
    for (const secret of [PASSWORD, token, person.secret]) {
      expect(await rows.count(`identity."user" u WHERE u::text LIKE '%' || $1 || '%'`, [secret])).toBe(0);
      expect(await rows.count(`identity.session s WHERE s::text LIKE '%' || $1 || '%'`, [secret])).toBe(0);
    }
    const hashed = `identity."user" WHERE id = $1 AND password_hash LIKE '$argon2id$v=19$m=19456,t=2,p=1$%'`;
    expect(await rows.count(hashed, [person.id])).toBe(1);
  });
});

describe("one and the same refusal", () => {
  test.each([
    ["an unknown address", () => attempt(people.newEmail())],
    ["a text that is no address", () => attempt("nobody")],
    ["a wrong password", () => attempt(person.email, "wrong horse battery staple")],
    ["an empty password", () => attempt(person.email, "")],
    ["a wrong code", () => attempt(person.email, PASSWORD, "000000")],
    ["a code that is none", () => attempt(person.email, PASSWORD, "abcdef")],
    ["an empty code", () => attempt(person.email, PASSWORD, "")],
  ])("for %s", async (_, refused) => {
    expect(await refused()).toBe("sign_in_refused");
  });

  test("for a code that was used", async () => {
    const code = people.nextCode(person.secret);
    expect(await attempt(person.email, PASSWORD, code)).toBe("ok");
    expect(await attempt(person.email, PASSWORD, code)).toBe("sign_in_refused");
  });

  test("for all but one of those who use the same code at once", async () => {
    const code = people.nextCode(person.secret);
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => attempt(person.email, PASSWORD, code)));
    expect(outcomes.toSorted()).toEqual(["ok", ...Array(3).fill("sign_in_refused")]);
  });

  test("for a code older than the step before", async () => {
    const code = people.nextCode(person.secret);
    service.clock.advance(60);
    expect(await attempt(person.email, PASSWORD, code)).toBe("sign_in_refused");
  });

  test("for a person who was removed from their only tenant", async () => {
    const { id: userId } = await people.join(tenant.id);
    await people.users.removeMember({ tenantId: tenant.id, userId: person.id }, people.internal);
    expect(await attempt(person.email)).toBe("sign_in_refused");
    expect(userId).not.toBe(person.id);
  });

  test("takes about as long for an unknown address as for a known one", async () => {
    const timeOf = async (email: string): Promise<number> => {
      const startedMs = performance.now();
      expect(await attempt(email, "wrong horse battery staple", "000000")).toBe("sign_in_refused");
      return performance.now() - startedMs;
    };
    const times: [known: number, unknown: number][] = [];
    for (let round = 0; round < 9; round++) {
      times.push([await timeOf(person.email), await timeOf(people.newEmail())]);
    }
    const medianOf = (of: number[]): number => of.toSorted((a, b) => a - b)[4] ?? 0;
    const known = medianOf(times.map(([time]) => time));
    const unknown = medianOf(times.map(([, time]) => time));
    // Without the hash that nobody has, the one is a tenth of the other.
    expect(unknown).toBeGreaterThan(known * 0.4);
    expect(unknown).toBeLessThan(known * 2.5);
  });
});

describe("too many attempts", () => {
  test.each([
    ["a known address", () => person.email],
    ["an unknown one", () => "nobody@example.test"],
  ])("on %s are refused without a look at the password", async (_, email) => {
    for (let count = 0; count < ATTEMPTS_MAX; count++) {
      expect(await attempt(email(), "wrong horse battery staple")).toBe("sign_in_refused");
    }
    expect(await attempt(email())).toBe("too_many_attempts");
    expect(await attempt(email().toUpperCase())).toBe("too_many_attempts");
    expect(await attempt((await people.join(tenant.id)).email, "x")).toBe("sign_in_refused");
  });

  test("from one network address are refused, and good ones do not count", async () => {
    const address = "192.0.2.7";
    for (let count = 0; count < 3; count++) await people.signIn(person, { address });
    expect(await rows.count("identity.sign_in_attempt WHERE key LIKE '%192.0.2.7' AND points > 0")).toBe(0);
    await rows.run("UPDATE identity.sign_in_attempt SET points = 100 WHERE key LIKE '%192.0.2.7'");
    expect(await attempt(person.email, PASSWORD, "000000", address)).toBe("too_many_attempts");
    expect(await attempt(person.email, PASSWORD, people.nextCode(person.secret), "192.0.2.8")).toBe("ok");
  });

  test("are forgotten when their time is over", async () => {
    for (let count = 0; count <= ATTEMPTS_MAX; count++) await attempt(person.email, "wrong");
    expect(await attempt(person.email)).toBe("too_many_attempts");
    await rows.run("UPDATE identity.sign_in_attempt SET expire = 1");
    expect(await attempt(person.email)).toBe("ok");
    await rows.run("UPDATE identity.sign_in_attempt SET expire = 1");
    await service.core.tasks.removePast();
    expect(await rows.count("identity.sign_in_attempt")).toBe(0);
  });
});
