import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { PASSWORD, Users, tokenHash } from "../support/users.ts";
import { startService, type TestTenant } from "../support/service.ts";

const TRIES = 6;

const service = await forFile(startService());
const tenant = await service.createTenant();
const users = new Users(service);

async function tenantNow({ id }: TestTenant) {
  const identity = createClient(IdentityService, service.core.transport);
  return await identity.getTenant({ tenantId: id }, service.internal);
}

/** The fields of the settings' form as a page has them. */
function fieldsOf(page: string): Record<string, string | string[]> {
  const input = (name: string): string =>
    new RegExp(`name="${name}"[^>]*?value="([^"]*)"`).exec(page)?.[1] ?? "";
  return {
    form_token: input("form_token"),
    opened: input("opened").replaceAll("&quot;", '"'),
    name: "Renamed",
    payment_methods: ["pix", "card", "ted"],
    max_installments: "21",
    settlement_days: "1",
    payer_retention_days: "0",
    exception_refund_hours: "0",
  };
}

test("a form that was opened in one company changes no other", async () => {
  const [one, other] = [await service.createTenant(), await service.createTenant()];
  const user = await users.join(one.id);
  const token = await users.joinAlso(user, other.id);
  const client = new ConsoleClient(service, { sessionToken: token });
  const { body } = await client.get("/console/test/settings");
  await client.post("/console/test", "/console/test/tenant", { tenant: one.id });
  const stale = await client.send("/console/test/settings/company", fieldsOf(body));
  expect(stale.statusCode).toBe(403);
  for (const each of [one, other]) expect((await tenantNow(each)).tenant?.name).toBe("Test");
  const fresh = fieldsOf((await client.get("/console/test/settings")).body);
  expect((await client.send("/console/test/settings/company", fresh)).statusCode).toBe(303);
  expect((await tenantNow(one)).tenant?.name).toBe("Renamed");
});

test("a form of settings does not put back what another user changed meanwhile", async () => {
  const client = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
  const opened = fieldsOf((await client.get("/console/test/settings")).body);
  const identity = createClient(IdentityService, service.core.transport);
  await identity.updateTenant({ tenantId: tenant.id, maxInstallments: 5 }, service.internal);
  const stale = await client.send("/console/test/settings/company", opened);
  expect([stale.statusCode, stale.body.includes("Alguém mudou")]).toEqual([422, true]);
  expect((await tenantNow(tenant)).tenant).toMatchObject({ name: "Test", maxInstallments: 5 });
});

test("signing in ends the session that the browser had", async () => {
  const user = await users.join(tenant.id);
  const client = new ConsoleClient(service, { sessionToken: user.token });
  client.cookies.delete("paylink_session");
  const token = await client.formToken("/console/signin");
  client.cookies.set("paylink_session", user.token);
  const form = { email: user.email, password: PASSWORD, code: users.nextCode(user.secret) };
  const answer = await client.send("/console/signin", { form_token: token, ...form });
  expect(answer.statusCode).toBe(303);
  const former = new ConsoleClient(service, { sessionToken: user.token });
  expect((await former.get("/console/test")).statusCode).toBe(303);
  expect((await client.get("/console/test")).statusCode).toBe(200);
});

test("a reset that races with joining another company never holds both", async () => {
  for (let index = 0; index < TRIES; index++) {
    const [first, second] = [await service.createTenant(), await service.createTenant()];
    const user = await users.join(first.id);
    const { token: reset } = await users.client.resetUser(
      { tenantId: first.id, userId: user.id },
      service.internal,
    );
    const invited = await users.invite(second.id, Role.OWNER, user.email);
    const { totpSecret = "" } = await users.client.getInvitation(
      { tokenHash: tokenHash(reset) },
      service.internal,
    );
    const code = users.nextCode(user.secret);
    const joins = users.client.acceptInvitation(
      { tokenHash: tokenHash(invited), password: PASSWORD, code },
      service.internal,
    );
    // From together to one long after the other.
    await new Promise((resolve) => setImmediate(resolve));
    const takes = users.client.acceptInvitation(
      { tokenHash: tokenHash(reset), password: "somebody else's password", code: users.codeOf(totpSecret) },
      service.internal,
    );
    const [joined, taken] = await Promise.allSettled([joins, takes]);
    expect([joined.status, taken.status].filter((status) => status === "fulfilled")).toHaveLength(1);
  }
});

test("an owner changes the currency that the company is paid in, for what is made from now on", async () => {
  const own = await service.createTenant();
  const owner = await createUser(service, own.id, "owner");
  const client = new ConsoleClient(service, owner);
  const page = `/console/test/settings/entities/${own.legalEntityId}/replace`;
  const form = { name: "Shop LLC", payout_currency: "USD" };
  const unconfirmed = await client.post(page, page, { ...form, password: "wrong" });
  expect([unconfirmed.statusCode, unconfirmed.body.includes("Shop LLC")]).toEqual([422, true]);
  const done = await client.post(page, page, { ...form, password: owner.password });
  expect([done.statusCode, done.headers.location]).toEqual([303, "/console/test/settings?done=replaced"]);
  const { legalEntities } = await tenantNow(own);
  expect(legalEntities.map(({ name, payoutCurrency, isActive }) => [name, payoutCurrency, isActive])).toEqual(
    [
      ["Test", "BRL", false],
      ["Shop LLC", "USD", true],
    ],
  );
  // Once replaced it is active no more.
  expect(
    (await client.post("/console/test/settings", page, { ...form, password: owner.password })).statusCode,
  ).toBe(404);
});
