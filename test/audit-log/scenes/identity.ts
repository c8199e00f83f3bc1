import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { ExportKind } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { newId } from "../../../contract/ids.ts";
import type { Scenes } from "./scenery.ts";

export const identityScenes: Scenes = {
  CreateTenant: async (as, { identity }) => [
    (await identity.createTenant({ name: "New", payoutCurrency: "BRL" }, as)).id,
  ],
  UpdateTenant: async (as, { identity, tenantId }) => {
    await identity.updateTenant({ tenantId, name: newId("ten") }, as);
    return [tenantId];
  },
  CreateLegalEntity: async (as, { identity, service }) => {
    const { id } = await service.createTenant();
    return [
      (await identity.createLegalEntity({ tenantId: id, name: "Second", payoutCurrency: "BRL" }, as)).id,
    ];
  },
  RenameLegalEntity: async (as, { identity, merchant, tenantId }) => {
    const id = merchant.tenant.legalEntityId;
    await identity.renameLegalEntity({ tenantId, id, name: newId("le") }, as);
    return [id];
  },
  ReplaceLegalEntity: async (as, { identity, service }) => {
    const tenant = await service.createTenant();
    const id = tenant.legalEntityId;
    const asked = { tenantId: tenant.id, id, name: "Next", payoutCurrency: "BRL" };
    await identity.replaceLegalEntity(asked, as);
    return [id];
  },
  DeactivateLegalEntity: async (as, { identity, service }) => {
    const tenant = await service.createTenant();
    await identity.deactivateLegalEntity({ tenantId: tenant.id, id: tenant.legalEntityId }, as);
    return [tenant.legalEntityId];
  },
  CreateApiKey: async (as, { identity, tenantId }) => [
    (await identity.createApiKey({ tenantId, mode: Mode.TEST }, as)).id,
  ],
  RevokeApiKey: async (as, { identity, newKey }) => {
    const { id } = await newKey();
    await identity.revokeApiKey({ id }, as);
    return [id];
  },
  RotateApiKey: async (as, { identity, newKey }) => {
    const { id } = await newKey();
    await identity.rotateApiKey({ id }, as);
    return [id];
  },
  CreateCoreToken: async (as, { identity, tenantId }) => [
    (await identity.createCoreToken({ name: "team", permissions: ["ledger:read"], tenantId }, as)).id,
  ],
  RevokeCoreToken: async (as, { identity, service, tenantId }) => {
    const made = { name: "team", permissions: ["ledger:read"], tenantId };
    const { id } = await identity.createCoreToken(made, service.internal);
    await identity.revokeCoreToken({ id }, as);
    return [id];
  },
  RecordExport: async (as, { auditLog, tenantId }) => {
    const asked = { tenantId, mode: Mode.TEST, kind: ExportKind.PAYMENTS, format: "csv", rowCount: 1n };
    await auditLog.recordExport(asked, as);
    return [""];
  },
  RotateDataKey: async (as, { identity }) => {
    await identity.rotateDataKey({}, as);
    return [""];
  },
};
