import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { asUser, USER } from "../support/audit.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { codeOf, refusalOf } from "../support/refusal.ts";
import { startService, type TestService } from "../support/service.ts";
import { Users } from "../support/users.ts";

type Options = TestService["internal"];

const service = await forFile(startService());
const merchant = await createMerchant(service);
const users = new Users(service);
const tenantId = merchant.tenant.id;
// The calls below may take the place of any other owner.
await users.join(tenantId, Role.OWNER);
const identity = createClient(IdentityService, service.core.transport);
const accounts = createClient(UsersService, service.core.transport);

async function tokenWith(permissions: readonly string[]): Promise<Options> {
  const { token } = await identity.createCoreToken(
    { name: "team", permissions: [...new Set(["identity:admin", ...permissions])] },
    service.internal,
  );
  return { headers: { authorization: `Bearer ${token}` } };
}

const keyWith = async (scopes: readonly string[], as: Options = service.internal) =>
  await identity.createApiKey({ tenantId, mode: Mode.LIVE, scopes: [...scopes] }, as);

describe("a user, as the console names them, gives no more than their role has:", () => {
  const as = async (role: Role) => asUser(service.internal, await users.join(tenantId, role));

  test("a developer makes and replaces no key that refunds", async () => {
    const developer = await as(Role.DEVELOPER);
    const refunding = await keyWith(["refunds:write", "payments:read"]);
    expect(await codeOf(keyWith(["refunds:write"], developer))).toBe("insufficient_permission");
    expect(await codeOf(keyWith([], developer))).toBe("insufficient_permission");
    expect(await codeOf(identity.rotateApiKey({ id: refunding.id }, developer))).toBe(
      "insufficient_permission",
    );
    const selling = await keyWith(
      ["payment_links:write", "quotes:write", "payment_intents:write"],
      developer,
    );
    expect(await codeOf(identity.rotateApiKey({ id: selling.id, tenantId }, developer))).toBe("ok");
  });

  test("an owner gives all of it, and only in their own company", async () => {
    const owner = await as(Role.OWNER);
    expect(await codeOf(keyWith([], owner))).toBe("ok");
    const theirs = await service.createTenant();
    const elsewhere = { tenantId: theirs.id, mode: Mode.TEST, scopes: ["payments:read"] };
    expect(await codeOf(identity.createApiKey(elsewhere, owner))).toBe("insufficient_permission");
    const token = { name: "x", permissions: ["ledger:read"] };
    expect(await codeOf(identity.createCoreToken(token, owner))).toBe("insufficient_permission");
    expect(await codeOf(identity.createCoreToken({ ...token, tenantId }, owner))).toBe("ok");
  });

  test("a developer lets no one in as an owner, and a stranger no one at all", async () => {
    const [developer, stranger] = [await as(Role.DEVELOPER), asUser(service.internal)];
    const invite = async (role: Role, by: Options) =>
      await codeOf(accounts.inviteUser({ tenantId, email: users.newEmail(), role }, by));
    expect(await invite(Role.OWNER, developer)).toBe("insufficient_permission");
    expect(await invite(Role.VIEWER, stranger)).toBe("insufficient_permission");
    const refused = await refusalOf(keyWith(["payments:read"], stranger));
    expect([USER, refused?.message]).toEqual([USER, "The user cannot give what they have not: ledger:read."]);
  });

  test("a token that names an owner still gives only what it has", async () => {
    const owner = await users.join(tenantId, Role.OWNER);
    const both = asUser(await tokenWith(["ledger:read"]), owner);
    expect(await codeOf(keyWith(["refunds:write"], both))).toBe("insufficient_permission");
    expect(await codeOf(keyWith(["payments:read"], both))).toBe("ok");
  });
});
