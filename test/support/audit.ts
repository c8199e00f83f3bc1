import { createClient } from "@connectrpc/connect";
import { AuditLogService, type AuditEntry } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { TestService } from "./service.ts";

/** Who acts for the console, as its headers say. */
export const USER = "usr_01jd0000000000000000000000";
export const USER_EMAIL = "josé+李@example.test";

/** Call options of the console, for a user. */
export function asUser(
  options: TestService["internal"],
  { id, email } = { id: USER, email: USER_EMAIL },
): TestService["internal"] {
  return {
    headers: {
      ...options.headers,
      "paylink-actor": id,
      "paylink-actor-name": encodeURIComponent(email),
      "paylink-actor-address": "192.0.2.1",
    },
  };
}

/** The audit log of a tenant, latest first. */
export async function auditEntries(
  { core, internal }: Pick<TestService, "core" | "internal">,
  tenantId: string,
  filter: object = {},
): Promise<AuditEntry[]> {
  const log = createClient(AuditLogService, core.transport);
  return (await log.listAuditEntries({ tenantId, ...filter }, internal)).entries;
}
