import { createClient } from "@connectrpc/connect";
import { AuditLogService, type AuditEntry } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { DatabaseRows } from "./database-rows.ts";
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

/** Makes the user of `asUser` an owner of a tenant, so that they may give what the core bounds by a role. */
export async function makeOwner(rows: Pick<DatabaseRows, "run">, tenantId: string): Promise<void> {
  await rows.run(
    `INSERT INTO identity."user" (id, email, name, password_hash, totp_sealed, totp_step, created_at)
      VALUES ($1, $2, 'José', '', '', 0, now()) ON CONFLICT DO NOTHING`,
    [USER, USER_EMAIL],
  );
  await rows.run(
    "INSERT INTO identity.membership (tenant_id, user_id, role, created_at) VALUES ($1, $2, 'owner', now())",
    [tenantId, USER],
  );
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

/** The entries that calls wrote in a tenant's audit log, latest first. */
export async function auditEntriesBy(
  service: Pick<TestService, "core" | "internal">,
  tenantId: string,
  calls: () => Promise<unknown>,
): Promise<AuditEntry[]> {
  const before = new Set((await auditEntries(service, tenantId)).map(({ id }) => id));
  await calls();
  return (await auditEntries(service, tenantId)).filter(({ id }) => !before.has(id));
}
