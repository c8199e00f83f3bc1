import { getOption } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { isAllowed, permissionOf } from "../../contract/permission.ts";
import { permissionsOfScopes } from "../../contract/scope-permissions.ts";
import { SCOPES } from "../../contract/scopes.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/config/limits-config.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { forFile } from "../support/for-file.ts";
import { unaryMethods } from "../support/grpc-client.ts";
import { createMerchant } from "../support/merchant.ts";
import { codeOf, refusalOf } from "../support/refusal.ts";
import { startService, type TestService } from "../support/service.ts";
import { Users } from "../support/users.ts";

type Options = TestService["internal"];

// The table makes some of every scope.
const KEYS_MAX = 1000;
const service = await forFile(startService("direct", { quotas: { ...DEFAULT_QUOTAS, apiKeys: KEYS_MAX } }));
const merchant = await createMerchant(service);
const users = new Users(service);
const tenantId = merchant.tenant.id;
// The calls below may take the place of any other owner.
await users.join(tenantId, Role.OWNER);
const identity = createClient(IdentityService, service.core.transport);
const accounts = createClient(UsersService, service.core.transport);

const METHODS = unaryMethods(CORE_SERVICES);
/** All permissions of single services. */
const ALL = [
  ...new Set(
    METHODS.map(permissionOf).flatMap((permission) => {
      const name = permission.split(":")[0] ?? "";
      return ["refunds", "payers", "receipts"].includes(name)
        ? [permission]
        : ["read", "write", "admin"].map((level) => `${name}:${level}`);
    }),
  ),
];

/** What a key with each scope may call, written out. */
const SCOPE_NEEDS: Readonly<Record<string, readonly string[]>> = {
  "payment_links:write": ["links:write"],
  "quotes:write": ["pricing:write"],
  "payment_intents:write": ["ledger:write", "links:write"],
  "payments:read": ["ledger:read"],
  "refunds:write": ["refunds:write"],
  "payment_links:read": ["links:read"],
  "payment_links:manage": ["links:write"],
  "quotes:read": ["pricing:read"],
  "balance:read": ["ledger:read"],
  "events:read": ["webhooks:read"],
  "webhooks:read": ["webhooks:read"],
  "webhooks:write": ["webhooks:write"],
  "webhook_secrets:write": ["webhooks:write"],
  "media:read": ["media:read"],
  "media:write": ["media:write"],
  "payments:check": ["checkout:write"],
};
const VIEWER = ["ledger:read", "checkout:read", "webhooks:read", "links:read", "pricing:read"];
const SELLER = [...VIEWER, "links:write", "pricing:write", "ledger:write", "checkout:write", "media:write"];
/** What the console calls for each role, written out, beside identity:admin. */
const ROLE_NEEDS: readonly (readonly [word: string, role: Role, needed: readonly string[]])[] = [
  ["viewer", Role.VIEWER, VIEWER],
  ["developer", Role.DEVELOPER, [...SELLER, "webhooks:write"]],
  ["finance", Role.FINANCE, [...SELLER, "refunds:write", "payers:read", "reconciliation:write"]],
  [
    "owner",
    Role.OWNER,
    [...SELLER, "webhooks:write", "refunds:write", "payers:write", "providers:admin", "reconciliation:write"],
  ],
];

async function tokenWith(permissions: readonly string[]): Promise<Options> {
  const { token } = await identity.createCoreToken(
    { name: "team", permissions: [...new Set(["identity:admin", ...permissions])] },
    service.internal,
  );
  return { headers: { authorization: `Bearer ${token}` } };
}

const keyWith = async (scopes: readonly string[], as: Options = service.internal) =>
  await identity.createApiKey({ tenantId, mode: Mode.LIVE, scopes: [...scopes] }, as);

/** Each RPC that gives rights: one call for each kind of right, and what that asks for. */
const GIVING: readonly (readonly [
  name: string,
  needed: readonly string[],
  give: (as: Options) => Promise<unknown>,
])[] = [
  ...Object.entries(SCOPE_NEEDS).flatMap(([scope, needed]) => [
    [`CreateApiKey ${scope}`, needed, async (as: Options) => await keyWith([scope], as)] as const,
    [
      `RotateApiKey ${scope}`,
      needed,
      async (as: Options) => {
        const { id } = await keyWith([scope]);
        return await identity.rotateApiKey({ id }, as);
      },
    ] as const,
  ]),
  [
    "CreateApiKey of every scope",
    [...new Set(Object.values(SCOPE_NEEDS).flat())],
    async (as) => await keyWith([], as),
  ],
  ...ALL.map(
    (permission) =>
      [
        `CreateCoreToken ${permission}`,
        [permission],
        async (as: Options) => await identity.createCoreToken({ name: "x", permissions: [permission] }, as),
      ] as const,
  ),
  ...ROLE_NEEDS.flatMap(([word, role, needed]) => [
    [
      `InviteUser ${word}`,
      needed,
      async (as: Options) => await accounts.inviteUser({ tenantId, email: users.newEmail(), role }, as),
    ] as const,
    [
      `ChangeMemberRole ${word}`,
      needed,
      async (as: Options) => {
        const { id: userId } = await member(role === Role.VIEWER ? Role.FINANCE : Role.VIEWER);
        return await accounts.changeMemberRole({ tenantId, userId, role }, as);
      },
    ] as const,
    [
      `ResetUser ${word}`,
      needed,
      async (as: Options) => {
        const { id: userId } = await member(role);
        return await accounts.resetUser({ tenantId, userId }, as);
      },
    ] as const,
  ]),
];

/** Of the permissions of each service, given from the lowest level on, the last one: a token has at most twenty. */
function highest(permissions: readonly string[]): string[] {
  return [...new Map(permissions.map((permission) => [permission.split(":")[0], permission])).values()];
}

const members = new Map<Role, Promise<{ id: string }>>();

/** A member whom no call has given another role; one for all calls of a role that are refused or change nothing. */
async function member(role: Role): Promise<{ id: string }> {
  const made = members.get(role) ?? users.join(tenantId, role);
  members.set(role, made);
  const found = await made;
  await accounts.changeMemberRole({ tenantId, userId: found.id, role }, service.internal);
  return found;
}

describe("a named token gives no more than it has:", () => {
  test.each(GIVING)("%s", async (_, needed, give) => {
    for (const lacking of needed) {
      const held = highest(ALL.filter((permission) => !isAllowed([permission], lacking)));
      const refused = await codeOf(give(await tokenWith(held)));
      const expected = lacking.startsWith("identity:") ? "ok" : "insufficient_permission";
      expect([lacking, refused]).toEqual([lacking, expected]);
    }
    expect(await codeOf(give(await tokenWith(needed)))).toBe("ok");
    expect(await codeOf(give(await tokenWith(["*:admin"])))).toBe("ok");
    expect(await codeOf(give(service.internal))).toBe("ok");
  });

  test("the refusal names what is lacking, and no key is made", async () => {
    const before = (await identity.listApiKeys({ tenantId }, service.internal)).apiKeys.length;
    const refused = await refusalOf(
      keyWith(["payments:read", "refunds:write"], await tokenWith(["*:write"])),
    );
    expect(refused).toMatchObject({
      code: "insufficient_permission",
      message: "The core token cannot give what it has not: refunds:write.",
    });
    expect((await identity.listApiKeys({ tenantId }, service.internal)).apiKeys).toHaveLength(before);
  });

  test("the operator's reset of a member asks for their roles in all tenants", async () => {
    const user = await users.join(tenantId, Role.VIEWER);
    await users.joinAlso(user, (await service.createTenant()).id, Role.OWNER);
    const asked = { tenantId, userId: user.id, isOperator: true };
    expect(await codeOf(accounts.resetUser(asked, await tokenWith(VIEWER)))).toBe("insufficient_permission");
    expect(await codeOf(accounts.resetUser(asked, service.internal))).toBe("ok");
  });

  test("a link to new secrets ends when the member gets another role", async () => {
    const { id: userId } = await users.join(tenantId, Role.VIEWER);
    await accounts.resetUser({ tenantId, userId }, await tokenWith(VIEWER));
    await accounts.changeMemberRole({ tenantId, userId, role: Role.OWNER }, service.internal);
    const { invitations } = await accounts.listMembers({ tenantId }, service.internal);
    expect(invitations.filter((open) => open.userId === userId)).toEqual([]);
  });

  test("every RPC that answers a secret is above, or gives no right of paylink's", () => {
    const secret = METHODS.filter(({ output }) =>
      output.fields.some((field) => getOption(field, fieldRules).isSecret),
    ).map(({ name }) => name);
    const above = new Set(GIVING.map(([name]) => name.split(" ")[0] ?? ""));
    expect(secret.filter((name) => !above.has(name)).toSorted()).toEqual([
      // Who has the link, or password and code, signs in.
      "AcceptInvitation",
      "GetInvitation",
      // The address of the bank's callbacks.
      "PutProviderAccount",
      "ResetPassword",
      "SignIn",
      // The address of another system that the bank calls back.
      "VerifyProviderAccount",
    ]);
  });
});

describe("a scope", () => {
  test("asks for the permission of each RPC that it opens", () => {
    expect(
      Object.fromEntries(SCOPES.map((scope) => [scope, permissionsOfScopes([scope]).toSorted()])),
    ).toEqual(SCOPE_NEEDS);
  });

  test("of no RPC is given by the operator alone", () => {
    expect(permissionsOfScopes(["later:write"])).toEqual(["*:admin"]);
  });
});
