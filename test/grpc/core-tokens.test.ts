import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { CoreClient } from "../support/core-client.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { failureOf } from "../support/grpc-client.ts";
import { codeOf } from "../support/refusal.ts";
import { secondService } from "../support/service.ts";

const { service, tenant, grpc } = await CoreClient.forFile();

const identity = () => createClient(IdentityService, service.core.transport);
const newToken = async (...permissions: string[]) =>
  await identity().createCoreToken({ name: "billing", permissions }, service.internal);
const as = (token: string) => ({
  authorization: `Bearer ${token}`,
  "paylink-tenant": tenant.id,
  "paylink-mode": "test",
});

describe("the life of a token", () => {
  test("a revoked one is refused from the next request on, by every core", async () => {
    const other = await secondService(service);
    const { id, token } = await newToken("ledger:read");
    const { listPayments } = LedgerService.method;
    const read = { from: "2026-01-01", to: "2026-01-02" };
    const elsewhere = createClient(LedgerService, other.core.transport);
    expect(await grpc.unary(listPayments, read, as(token))).toMatchObject({ data: [] });
    expect(await elsewhere.listPayments(read, { headers: as(token) })).toMatchObject({ data: [] });
    const { coreToken } = await identity().revokeCoreToken({ id }, service.internal);
    expect(coreToken?.revokedAt).toBeDefined();
    const failure = failureOf(grpc.unary(listPayments, read, as(token)));
    expect(await failure).toMatchObject({ reason: "invalid_core_token" });
    await expect
      .poll(() => elsewhere.listPayments(read, { headers: as(token) }).catch((error: Error) => error.message))
      .toContain("not good any more");
    service.clock.advance(60);
    const again = await identity().revokeCoreToken({ id }, service.internal);
    expect(again.coreToken).toEqual(coreToken);
    await other.close();
  });

  test("lists show no plaintext, and the database keeps none", async () => {
    const { id, token } = await newToken("*:read");
    const { coreTokens } = await identity().listCoreTokens({}, service.internal);
    expect(coreTokens.find((candidate) => candidate.id === id)).toMatchObject({
      name: "billing",
      permissions: ["*:read"],
      lastFour: token.slice(-4),
    });
    expect(id).toMatch(/^ctk_[0-9a-z]{26}$/);
    expect(token).toMatch(/^core_[\w-]{43}$/);
    const rows = await new DatabaseRows(service.databaseUrl).open();
    expect(await rows.count("identity.core_token t WHERE t::text LIKE '%' || $1 || '%'", [token])).toBe(0);
    expect(await rows.count("identity.core_token WHERE id = $1", [id])).toBe(1);
    await rows.close();
  });

  test("an unknown one cannot be revoked", async () => {
    const failure = grpc.unary(
      IdentityService.method.revokeCoreToken,
      { id: "ctk_nothing" },
      service.internal.headers,
    );
    expect(await failureOf(failure)).toMatchObject({
      status: "NOT_FOUND",
      reason: "core_token_not_found",
      message: "There is no such core token.",
    });
  });
});

test("a tenant has a number of tokens, and of the revoked ones the newest are listed", async () => {
  const { id: tenantId } = await service.createTenant();
  const make = async (): Promise<string> =>
    (
      await identity().createCoreToken(
        { name: "bound", permissions: ["ledger:read"], tenantId },
        service.internal,
      )
    ).id;
  const ids: string[] = [];
  for (let count = 0; count < 90; count++) ids.push(await make());
  const outcomes = await Promise.all(Array.from({ length: 15 }, async () => await codeOf(make())));
  expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(10);
  expect(new Set(outcomes)).toEqual(new Set(["ok", "quota_exceeded"]));
  const [first = ""] = ids;
  await identity().revokeCoreToken({ id: first }, service.internal);
  for (let count = 0; count < 200; count++) {
    await identity().revokeCoreToken({ id: await make() }, service.internal);
  }
  const { coreTokens } = await identity().listCoreTokens({}, service.internal);
  const listed = coreTokens.filter((token) => token.tenantId === tenantId);
  expect(listed.filter(({ revokedAt }) => revokedAt === undefined)).toHaveLength(99);
  expect(coreTokens.filter(({ revokedAt }) => revokedAt !== undefined)).toHaveLength(200);
  expect(listed.map(({ id }) => id)).not.toContain(first);
  expect(coreTokens.map(({ id }) => id)).toEqual(coreTokens.map(({ id }) => id).toSorted());
});
