import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, PayerFieldRule } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { textOf } from "../support/page-text.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { startService, type TestTenant } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const PATH = "/console/live/settings";
const FORM = {
  name: "Loja da Ana",
  payment_methods: ["pix", "card"],
  max_installments: "12",
  settlement_days: "2",
  payer_retention_days: "0",
  exception_refund_hours: "0",
  collect_fields: ["phone"],
};

const service = await forFile(startService());
let tenant: TestTenant;
let client: ConsoleClient;
beforeEach(async () => {
  tenant = await service.createTenant();
  client = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
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
    await save({ collect_fields: [], payer_retention_days: "1825", exception_refund_hours: "24" });
    expect((await get()).tenant).toMatchObject({
      collectFields: [],
      maxInstallments: 12,
      settlementDays: 2,
      payerRetentionDays: 1825,
      exceptionRefundHours: 24,
    });
  });

  test("say what payers are asked for: saved where it changes, and shown to all who may read", async () => {
    const asked = { payer_name: "required", payer_tax_id: "optional" };
    expect((await save(asked)).statusCode).toBe(303);
    expect((await get()).tenant?.payerFields).toMatchObject({
      name: PayerFieldRule.REQUIRED,
      taxId: PayerFieldRule.OPTIONAL,
    });
    const { body } = await client.get(PATH);
    expect(body).toMatch(/name="payer_name"[^]*?value="required"\s+selected/);
    const finance = new ConsoleClient(service, await createUser(service, tenant.id, "finance"));
    const read = textOf((await finance.get(`${PATH}?lang=pt-BR`)).body);
    expect(read).toContain("Nome completo, CPF ou CNPJ (opcional), Telefone");
    expect((await save({ ...asked, payer_name: "perhaps" })).statusCode).toBe(422);
    const opened = await openedAs();
    await save({ ...asked, payer_email: "optional" });
    expect((await save({ payer_name: "no", payer_tax_id: "no", opened })).statusCode).toBe(422);
    await save({ payer_name: "no", payer_email: "no", payer_tax_id: "no" });
    const { payerFields } = (await get()).tenant ?? {};
    expect([payerFields?.name, payerFields?.email, payerFields?.taxId]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("who bears the fee of refunds is shown to all who may read, and no form changes it", async () => {
    const { body } = await client.get(`${PATH}?lang=en`);
    expect(body).toContain("The company bears it");
    expect(body).not.toContain('name="refund_fee"');
    await save({ refund_fee: "service" });
    expect((await get()).tenant?.refundFee).toBe("merchant");
    const identity = createClient(IdentityService, service.core.transport);
    await identity.updateTenant({ tenantId: tenant.id, refundFee: "service" }, service.internal);
    const finance = new ConsoleClient(service, await createUser(service, tenant.id, "finance"));
    for (const reader of [client, finance]) {
      const { body: changed } = await reader.get(`${PATH}?lang=en`);
      expect(changed).toContain("The service bears it");
      expect(changed).toContain("The operator of the service decides this.");
    }
  });

  test("the least settlement term is shown, and no shorter one is saved", async () => {
    const identity = createClient(IdentityService, service.core.transport);
    const given = { settlementDays: 5, leastSettlementDays: 4 };
    await identity.updateTenant({ tenantId: tenant.id, ...given }, service.internal);
    expect((await client.get(`${PATH}?lang=en`)).body).toMatch(/Least settlement term[^]*?D\+4\./);
    expect((await save({ settlement_days: "3", least_settlement_days: "0" })).statusCode).toBe(422);
    expect((await get()).tenant).toMatchObject(given);
    expect((await save({ settlement_days: "4" })).statusCode).toBe(303);
    expect((await get()).tenant).toMatchObject({ ...given, settlementDays: 4 });
  });

  test.each([
    ["no name", { name: " " }],
    ["no method", { payment_methods: [] }],
    ["a method that there is not", { payment_methods: ["cash"] }],
    ["22 installments", { max_installments: "22" }],
    ["half an installment", { max_installments: "1.5" }],
    ["no number of days", { settlement_days: "" }],
    ["a year and a day", { settlement_days: "366" }],
    ["over ten years of retention", { payer_retention_days: "3651" }],
    ["over thirty days until money goes back", { exception_refund_hours: "721" }],
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
