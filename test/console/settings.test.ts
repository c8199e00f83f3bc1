import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

const PATH = "/console/live/settings";
const FORM = {
  name: "Loja da Ana",
  payment_methods: ["pix", "card"],
  max_installments: "12",
  settlement_days: "2",
  collect_fields: ["phone"],
};

let service: TestService;
let tenant: TestTenant;
let client: ConsoleClient;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  tenant = await service.createTenant();
  client = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
});
afterAll(async () => {
  await service.close();
});

const get = async () =>
  await createClient(IdentityService, service.core.transport).getTenant(
    { tenantId: tenant.id },
    service.internal,
  );
const save = async (form: Record<string, string | readonly string[]> = {}) =>
  await client.post(PATH, `${PATH}/company`, { ...FORM, opened: await openedAs(), ...form });

/** The settings, as their form shows them. */
async function openedAs(): Promise<string> {
  const { body } = await client.get(PATH);
  return (/name="opened"\s+value="([^"]*)"/.exec(body)?.[1] ?? "").replaceAll("&quot;", '"');
}

describe("settings", () => {
  test("are saved, and the audit log has only what changed", async () => {
    const { statusCode, headers } = await save({ max_installments: "21", settlement_days: "1" });
    expect([statusCode, headers.location]).toEqual([303, `${PATH}?done=saved`]);
    expect((await get()).tenant).toMatchObject({
      name: "Loja da Ana",
      paymentMethods: ["pix", "card"],
      maxInstallments: 21,
      settlementDays: 1,
      collectFields: ["phone"],
    });
    const log = createClient(AuditLogService, service.core.transport);
    const { entries } = await log.listAuditEntries(
      { tenantId: tenant.id, action: "UpdateTenant" },
      service.internal,
    );
    expect(entries.map(({ details }) => Object.keys(details ?? {}).toSorted())).toEqual([
      ["collect_fields", "name", "payment_methods", "tenant_id"],
    ]);
    expect((await client.get(`${PATH}?done=saved`)).body).toContain("Configurações salvas.");
    await save({ collect_fields: [] });
    expect((await get()).tenant).toMatchObject({ collectFields: [], maxInstallments: 12, settlementDays: 2 });
  });

  test("who bears the fee of refunds is saved, and shown to those who may only read", async () => {
    expect((await save({ refund_fee: "service" })).headers.location).toBe(`${PATH}?done=saved`);
    expect((await get()).tenant?.refundFee).toBe("service");
    const finance = new ConsoleClient(service, await createUser(service, tenant.id, "finance"));
    expect((await finance.get(`${PATH}?lang=en`)).body).toContain("The service bears it");
    expect((await save({ refund_fee: "the payer" })).statusCode).toBe(422);
    expect((await get()).tenant?.refundFee).toBe("service");
  });

  test.each([
    ["no name", { name: " " }],
    ["no method", { payment_methods: [] }],
    ["a method that there is not", { payment_methods: ["cash"] }],
    ["22 installments", { max_installments: "22" }],
    ["half an installment", { max_installments: "1.5" }],
    ["no number of days", { settlement_days: "" }],
    ["a year and a day", { settlement_days: "366" }],
    ["a field that there is not", { collect_fields: ["shoe size"] }],
  ])("stay as they are with %s; what was typed stays too", async (_, wrong) => {
    const before = await get();
    const { statusCode, body } = await save(wrong);
    expect(statusCode).toBe(422);
    expect(body).toContain('aria-invalid="true"');
    const typed = { ...FORM, ...wrong };
    expect(body).toContain(`value="${"name" in wrong ? "" : typed.name}"`);
    expect(body).toContain(`value="${typed.settlement_days}"`);
    expect(await get()).toEqual(before);
  });

  test.each(["developer", "finance"] as const)("can be read by %s, who finds no form", async (role) => {
    const reader = new ConsoleClient(service, await createUser(service, tenant.id, role));
    const { statusCode, body } = await reader.get(PATH);
    expect(statusCode).toBe(200);
    const main = body.slice(body.indexOf("<main"));
    expect(main).not.toContain("<form");
    expect(main).not.toContain("/settings/entities/");
    expect(main).toContain(tenant.id);
  });
});

describe("a legal entity", () => {
  const rename = async (id: string, name: string) =>
    await client.post(PATH, `${PATH}/entities/${id}`, { name });

  test("is renamed; a blank name is refused", async () => {
    const { legalEntityId: id } = tenant;
    expect((await client.get(`${PATH}/entities/${id}`)).body).toContain('value="Test"');
    expect((await rename(id, " ")).statusCode).toBe(422);
    expect((await rename(id, "Ana Comércio Ltda.")).statusCode).toBe(303);
    expect((await get()).legalEntities).toMatchObject([{ name: "Ana Comércio Ltda." }]);
  });

  test("of another company is unknown", async () => {
    const { legalEntityId: foreign } = await service.createTenant();
    expect((await client.get(`${PATH}/entities/${foreign}`)).statusCode).toBe(404);
    expect((await rename(foreign, "Stolen")).statusCode).toBe(404);
  });
});

test("names stay texts", async () => {
  await save({ name: HOSTILE });
  await client.post(PATH, `${PATH}/entities/${tenant.legalEntityId}`, { name: HOSTILE });
  for (const path of [PATH, `${PATH}/entities/${tenant.legalEntityId}`, "/console/live/audit"]) {
    const { body } = await client.get(path);
    expect(body).toContain(HOSTILE_ESCAPED);
    expect(body).not.toContain("<script>alert");
  }
});
