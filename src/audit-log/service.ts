import type { ServiceImpl } from "@connectrpc/connect";
import type { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { AuditEntry } from "../platform/rpc/audit-entry.ts";
import { auditOf, EVERY_TENANT, NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { insert } from "../platform/write/change.ts";
import type { Environment } from "../platform/db/database.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import { calendarDay, periodOf } from "../platform/time/period.ts";
import { toAuditEntry } from "./mapping.ts";
import { countAuditEntries, countFittingEntries, findAuditEntry, listAuditEntries } from "./repository.ts";
import type { KnownTenants } from "../identity/known-tenants.ts";
import { fromModeEnum } from "../identity/mapping.ts";

const LIMIT = 100;
// All entries are between these days.
const FIRST_DAY = "2000-01-01";
const LAST_DAY = "9999-12-31";

export interface AuditLogDeps {
  readonly identity: Environment;
  readonly tenants: KnownTenants;
}

/** The RPCs of the log of changes, for callers with the permission to read it. */
export function auditLogRpcs({ identity, tenants }: AuditLogDeps): ServiceImpl<typeof AuditLogService> {
  return {
    listAuditEntries: async (request) => {
      const { tenantId, from = FIRST_DAY, to = LAST_DAY, actor, action, limit = LIMIT } = request;
      const { isOldestFirst, isCounted } = request;
      if (tenantId !== EVERY_TENANT) await tenants.require(tenantId);
      // Checked first, so that the error is about `from`: it may be before the default of an absent `to`.
      if (request.from !== undefined) calendarDay("from", request.from);
      const period = periodOf(from, to);
      const mode = request.mode === undefined ? undefined : fromModeEnum(request.mode);
      const filter = { ...period, mode, actor, action };
      const { rows, hasMore } = await keysetPage({
        limit,
        startingAfter: request.startingAfter,
        what: "the id of an audit entry",
        find: (id) => findAuditEntry(identity, tenantId, id),
        read: (after, rowCount) =>
          listAuditEntries(identity, tenantId, { filter, after, isOldestFirst }, rowCount),
        fitting: (after) => countFittingEntries(identity, tenantId, { filter, after, isOldestFirst }, limit),
      });
      const entryCount = isCounted ? await countAuditEntries(identity, tenantId, filter) : undefined;
      return { entries: rows.map(toAuditEntry), hasMore, entryCount };
    },
    recordExport: async ({ tenantId }, context) => {
      await tenants.require(tenantId);
      // The audit entry is the only row to write.
      const entry = auditOf(context)?.entry({ objectId: "" });
      if (entry) await identity.committer.commit([insert(AuditEntry, entry)], NO_ENTRY);
      return {};
    },
  };
}
