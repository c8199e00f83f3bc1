import type { ServiceImpl } from "@connectrpc/connect";
import type { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import type { Environment } from "../platform/database.ts";
import { invalidRequest } from "../platform/errors.ts";
import { calendarDay, periodOf } from "../platform/period.ts";
import { toAuditEntry } from "./audit-mapping.ts";
import { findAuditEntry, listAuditEntries } from "./audit-repository.ts";
import { fromModeEnum } from "./mapping.ts";

const LIMIT = 100;
// Days that every entry is between.
const FIRST_DAY = "2000-01-01";
const LAST_DAY = "9999-12-30";

/** What was changed, for those who may look. */
export class AuditLog {
  readonly #identity: Environment;

  constructor(identity: Environment) {
    this.#identity = identity;
  }

  readonly rpcs: ServiceImpl<typeof AuditLogService> = {
    listAuditEntries: async (request) => {
      const { tenantId, from = FIRST_DAY, to = LAST_DAY, actor, action, limit = LIMIT } = request;
      // Named for itself first: it may be before the day that stands in for an absent one.
      if (request.from !== undefined) calendarDay("from", request.from);
      const period = periodOf(from, to);
      const after =
        request.startingAfter === undefined
          ? undefined
          : await findAuditEntry(this.#identity, tenantId, request.startingAfter);
      if (after === null) throw invalidRequest("starting_after", "There is no such audit entry.");
      const mode = request.mode === undefined ? undefined : fromModeEnum(request.mode);
      const filter = { ...period, mode, actor, action };
      const rows = await listAuditEntries(this.#identity, tenantId, filter, after, limit + 1);
      return { entries: rows.slice(0, limit).map(toAuditEntry), hasMore: rows.length > limit };
    },
  };
}
