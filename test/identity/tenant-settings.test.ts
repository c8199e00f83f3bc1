import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { asUser } from "../support/audit.ts";
import { Api } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";
import { Users } from "../support/users.ts";

const LINK = { amount: 15_990, currency: "BRL" };

let tenant: TestTenant;
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
beforeEach(async () => {
  tenant = await service.createTenant();
});

const identity = () => createClient(IdentityService, service.core.transport);
const get = async () => await identity().getTenant({ tenantId: tenant.id }, service.internal);
const update = async (given: object) =>
  await identity().updateTenant({ tenantId: tenant.id, ...given }, service.internal);

describe("settings", () => {
  test("are read with the legal entities, inactive ones too", async () => {
    const { id } = await identity().createLegalEntity(
      { tenantId: tenant.id, name: "Filial", payoutCurrency: "USD" },
      service.internal,
    );
    await identity().deactivateLegalEntity({ tenantId: tenant.id, id }, service.internal);
    expect(await get()).toMatchObject({
      tenant: { id: tenant.id, name: "Test", paymentMethods: ["pix", "card", "ted"], maxInstallments: 21 },
      legalEntities: [
        { id: tenant.legalEntityId, name: "Test", payoutCurrency: "BRL", isActive: true },
        { id, name: "Filial", payoutCurrency: "USD", isActive: false },
      ],
    });
    const unknown = identity().getTenant({ tenantId: "ten_unknown" }, service.internal);
    expect(await codeOf(unknown)).toBe("tenant_not_found");
  });

  test("who bears the fee of refunds is the operator's to change, for no user", async () => {
    const owner = asUser(service.internal, await new Users(service).join(tenant.id));
    const by = async (options: TestService["internal"], refundFee: string) =>
      await codeOf(identity().updateTenant({ tenantId: tenant.id, name: "Ana", refundFee }, options));
    for (const word of ["service", "merchant"]) {
      expect(await by(owner, word)).toBe("insufficient_permission");
      expect((await get()).tenant).toMatchObject({ name: "Test", refundFee: "merchant" });
    }
    expect(await by(service.internal, "service")).toBe("ok");
    expect((await get()).tenant).toMatchObject({ name: "Ana", refundFee: "service" });
  });

  test("the least settlement term is the operator's to change, and the owner's own term is not below it", async () => {
    const owner = asUser(service.internal, await new Users(service).join(tenant.id));
    const by = async (options: TestService["internal"], given: object) =>
      await codeOf(identity().updateTenant({ tenantId: tenant.id, ...given }, options));
    const days = async () => {
      const { settlementDays, leastSettlementDays } = (await get()).tenant ?? {};
      return [settlementDays, leastSettlementDays];
    };
    const before = await days();
    expect(before[1]).toBe(0);
    for (const leastSettlementDays of [0, 2]) {
      expect(await by(owner, { settlementDays: 9, leastSettlementDays })).toBe("insufficient_permission");
    }
    expect(await by(service.internal, { settlementDays: 1, leastSettlementDays: 2 })).toBe("invalid_request");
    expect(await by(service.internal, { leastSettlementDays: 366 })).toBe("invalid_request");
    expect(await days()).toEqual(before);
    expect(await by(service.internal, { settlementDays: 5, leastSettlementDays: 2 })).toBe("ok");
    expect(await by(owner, { settlementDays: 1 })).toBe("invalid_request");
    expect(await by(owner, { settlementDays: 2 })).toBe("ok");
    expect(await by(service.internal, { leastSettlementDays: 3 })).toBe("invalid_request");
    expect(await days()).toEqual([2, 2]);
  });

  test("the least settlement term holds for intents by key: shorter ones are refused, and have no quote", async () => {
    const api = new Api(service, tenant.testKey);
    const intent = async (settlement_term?: string) =>
      await api.post("/v1/payment_intents", {
        ...LINK,
        ...(settlement_term === undefined ? {} : { settlement_term }),
      });
    const quote = async (payment_intent_id: string) =>
      await api.post("/v1/quotes", { payment_intent_id, payment_method: "pix" });
    const [earlier, long] = [(await intent("D+0")).body.id, (await intent("D+30")).body.id];
    const quoted = (await quote(earlier)).body.id;
    await update({ settlementDays: 2, leastSettlementDays: 2 });
    for (const term of ["D+0", "D+1"]) {
      expectError(await intent(term), { code: "invalid_request", param: "settlement_term" });
    }
    for (const [term, made] of [
      [undefined, "D+2"],
      ["D+2", "D+2"],
      ["D+365", "D+365"],
    ] as const) {
      expect((await intent(term)).body.settlement_term).toBe(made);
    }
    expectError(await quote(earlier), { code: "invalid_request", param: "payment_intent_id" });
    expect((await quote(long)).status).toBe(201);
    expect((await api.post(`/v1/quotes/${quoted}/accept`, { name: "Shoes" })).status).toBe(201);
  });

  test("change where they are given, and stay where not", async () => {
    const { tenant: before } = await get();
    const { tenant: renamed } = await update({ name: "  Loja da Ana " });
    expect(renamed).toEqual({ ...before, name: "Loja da Ana" });
    await update({ collectFields: { values: ["phone"] }, settlementDays: 0, maxInstallments: 3 });
    expect((await get()).tenant).toEqual({
      ...renamed,
      collectFields: ["phone"],
      settlementDays: 0,
      maxInstallments: 3,
    });
    await update({ collectFields: { values: [] }, paymentMethods: { values: ["pix"] } });
    expect((await get()).tenant).toMatchObject({
      collectFields: [],
      paymentMethods: ["pix"],
      maxInstallments: 3,
    });
  });

  test("hold from the next request on", async () => {
    const api = new Api(service, tenant.testKey);
    expect((await api.post("/v1/payment_links", { ...LINK, payment_methods: ["card"] })).status).toBe(201);
    await update({ paymentMethods: { values: ["pix"] } });
    const refused = await api.post("/v1/payment_links", { ...LINK, payment_methods: ["card"] });
    expectError(refused, { code: "payment_method_unsupported", param: "payment_methods" });
  });

  test.each([
    ["a blank name", { name: "  " }],
    ["an empty name", { name: "" }],
    ["no method", { paymentMethods: { values: [] } }],
    ["an unknown method", { paymentMethods: { values: ["cash"] } }],
    ["a method twice", { paymentMethods: { values: ["pix", "pix"] } }],
    ["no installment", { maxInstallments: 0 }],
    ["22 installments", { maxInstallments: 22 }],
    ["a settlement before the payment", { settlementDays: -1 }],
    ["an unknown field", { collectFields: { values: ["shoe size"] } }],
  ])("are refused with %s", async (_, given) => {
    const before = await get();
    expect(await codeOf(update(given))).toBe("invalid_request");
    expect(await get()).toEqual(before);
  });
});

test("a tenant has 200 active legal entities at most, and is read with the latest 100 that are not", async () => {
  const write = async (count: number, isActive: boolean): Promise<void> => {
    await rows.run(
      `INSERT INTO identity.legal_entity (tenant_id, id, name, payout_currency, is_active, created_at)
        SELECT $1, 'le_' || $3::boolean || lpad(number::text, 3, '0'), 'Filial', 'BRL', $3::boolean, now()
        FROM generate_series(1, $2) AS number`,
      [tenant.id, count, isActive],
    );
  };
  await write(198, true);
  const create = async () =>
    await codeOf(
      identity().createLegalEntity(
        { tenantId: tenant.id, name: "A", payoutCurrency: "BRL" },
        service.internal,
      ),
    );
  const outcomes = await Promise.all([create(), create(), create()]);
  expect(outcomes.toSorted()).toEqual(["ok", "quota_exceeded", "quota_exceeded"]);
  await write(250, false);
  const { legalEntities } = await get();
  expect(legalEntities.filter(({ isActive }) => isActive)).toHaveLength(200);
  const inactive = legalEntities.filter(({ isActive }) => !isActive).map(({ id }) => id);
  expect([inactive.length, inactive[0], inactive.at(-1)]).toEqual([100, "le_false151", "le_false250"]);
});

test("a legal entity is renamed by its own tenant alone", async () => {
  const other = await service.createTenant();
  const rename = (tenantId: string, name: string) =>
    codeOf(identity().renameLegalEntity({ tenantId, id: tenant.legalEntityId, name }, service.internal));
  expect(await rename(other.id, "Stolen")).toBe("legal_entity_not_found");
  expect(await rename(tenant.id, " ")).toBe("invalid_request");
  expect(await rename(tenant.id, "Ana Comércio Ltda.")).toBe("ok");
  expect((await get()).legalEntities).toMatchObject([{ name: "Ana Comércio Ltda." }]);
});

test("a key is revoked by its own tenant alone where one is named", async () => {
  const other = await service.createTenant();
  const { id } = await service.createKey(tenant.id, "test");
  const revoke = (tenantId?: string) =>
    codeOf(
      identity().revokeApiKey({ id, ...(tenantId === undefined ? {} : { tenantId }) }, service.internal),
    );
  expect(await revoke(other.id)).toBe("api_key_not_found");
  expect(await revoke(tenant.id)).toBe("ok");
  const { apiKeys } = await identity().listApiKeys({ tenantId: tenant.id }, service.internal);
  expect(apiKeys.find((key) => key.id === id)?.revokedAt).toBeDefined();
});

describe("a key's last use", () => {
  const lastUsed = async () => {
    const { apiKeys } = await identity().listApiKeys({ tenantId: tenant.id }, service.internal);
    const { lastUsedAt } = apiKeys.find(({ mode }) => mode === Mode.TEST) ?? {};
    return lastUsedAt && Number(lastUsedAt.seconds);
  };
  const use = async () =>
    await new Api(service, tenant.testKey).get("/v1/payments?from=2026-01-01&to=2026-01-31");

  test("is known to the minute, and unset before it", async () => {
    expect(await lastUsed()).toBeUndefined();
    const startedAt = Math.floor(service.clock.nowMs() / 1000);
    await use();
    const first = (await lastUsed()) ?? 0;
    expect(first).toBeGreaterThanOrEqual(startedAt);
    service.clock.advance(50);
    await use();
    expect(await lastUsed()).toBe(first);
    service.clock.advance(15);
    await use();
    expect(await lastUsed()).toBeGreaterThanOrEqual(first + 65);
  });

  test("is not that of another key, nor of a refused request", async () => {
    await new Api(service, tenant.liveKey).get("/v1/payments?from=2026-01-01&to=2026-01-31");
    await new Api(service, `${tenant.testKey}x`).get("/v1/payments?from=2026-01-01&to=2026-01-31");
    expect(await lastUsed()).toBeUndefined();
  });
});
