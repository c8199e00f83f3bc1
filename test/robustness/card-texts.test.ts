import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const CARD = "Loja 4111 1111 1111 1111";
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const tenant = await service.createTenant();
const { transport } = service.core;
const { internal } = service;
const [identity, users, ledger, providers] = [
  createClient(IdentityService, transport),
  createClient(UsersService, transport),
  createClient(LedgerService, transport),
  createClient(ProvidersService, transport),
];
const asTenant = { headers: { ...internal.headers, "paylink-tenant": tenant.id, "paylink-mode": "live" } };
const { id: tenantId } = tenant;

test.each([
  [
    "the name of a tenant",
    "name",
    () => identity.createTenant({ name: CARD, payoutCurrency: "BRL" }, internal),
  ],
  ["a new name of a tenant", "name", () => identity.updateTenant({ tenantId, name: CARD }, internal)],
  [
    "the name of a key",
    "name",
    () => identity.createApiKey({ tenantId, mode: Mode.TEST, name: CARD }, internal),
  ],
  [
    "the name of a core token",
    "name",
    () => identity.createCoreToken({ name: CARD, permissions: ["ledger:read"] }, internal),
  ],
  [
    "the address of a user",
    "email",
    () => users.inviteUser({ tenantId, email: "4111111111111111@example.com", role: Role.OWNER }, internal),
  ],
  [
    "the reason of a bank day",
    "reason",
    () =>
      ledger.putBusinessDay(
        { mode: Mode.TEST, day: "2027-01-04", isBusinessDay: false, reason: CARD },
        internal,
      ),
  ],
  [
    "the label of an account",
    "label",
    () => providers.putProviderAccount({ kind: 2, profile: "asaas", label: CARD, asaas: {} }, asTenant),
  ],
] as const)("a card number in %s is refused, and nothing is written", async (_, param, write) => {
  const before = await rows.countAll("identity");
  expect(await refusalOf(write() as Promise<unknown>)).toMatchObject({ code: "invalid_request", param });
  expect(await rows.countAll("identity")).toEqual(before);
});

test("an order's number in a name is no card's", async () => {
  const { tenant: named } = await identity.updateTenant(
    { tenantId, name: "Pedido 2026112300001234" },
    internal,
  );
  expect(named?.name).toBe("Pedido 2026112300001234");
});
