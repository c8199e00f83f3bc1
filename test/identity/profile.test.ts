import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const tenant = await service.createTenant();
const identity = createClient(IdentityService, service.core.transport);
const update = async (given: object) =>
  await identity.updateTenant({ tenantId: tenant.id, ...given }, service.internal);

test("a profile keeps what is given, loses what is given empty, and the audit log has the changed fields alone", async () => {
  await update({ displayName: " Loja ", taxId: "11.222.333/0001-81", color: "#7A1F5C" });
  await update({ contact: "(11) 3333-4444", color: "" });
  const same = await update({ displayName: "Loja" });
  expect(same.tenant?.profile).toMatchObject({
    displayName: "Loja",
    taxId: "11222333000181",
    color: "",
    contact: "(11) 3333-4444",
  });
  const log = createClient(AuditLogService, service.core.transport);
  const { entries } = await log.listAuditEntries(
    { tenantId: tenant.id, action: "UpdateTenant" },
    service.internal,
  );
  expect(entries.map(({ details }) => Object.keys(details ?? {}).toSorted())).toEqual([
    ["color", "contact", "tenant_id"],
    ["color", "display_name", "tax_id", "tenant_id"],
  ]);
});

test.each([
  ["color", "#ffd400"],
  ["color", "#777777"],
  ["color", "red"],
  ["color", "#12345g"],
  ["tax_id", "11.222.333/0001-82"],
  ["contact", "ask me"],
  ["site", "http://loja.example"],
  ["site", "javascript:alert(1)"],
  ["logo_url", "data:image/png;base64,AAAA"],
  ["display_name", "Lo\u0007ja"],
])("%s is refused as %j", async (field, text) => {
  const name = field.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase());
  const refused = await refusalOf(update({ [name]: text }));
  expect(refused).toMatchObject({ code: "invalid_request", param: field });
});

test("the lightest colour on which white can be read is taken, and the next one is not", async () => {
  expect((await update({ color: "#767676" })).tenant?.profile?.color).toBe("#767676");
});
