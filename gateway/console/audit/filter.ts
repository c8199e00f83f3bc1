import { ListAuditEntriesRequestSchema } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { Filters, type Values } from "../list/filters.ts";
import { MODES, type Visit } from "../visit.ts";
import { actionOptions } from "./actions.ts";
import { KINDS } from "./actor.ts";
import { messagesIn } from "./messages.ts";

/** The filters of the audit log, as texts from the address. Empty: no filter. */
export type AuditFilter = Values<"from" | "to" | "actor" | "action">;

export const filters = new Filters(ListAuditEntriesRequestSchema, messagesIn, {
  from: { kind: "day", label: "from", refused: "bad_days" },
  to: { kind: "day", label: "to", refused: "bad_days" },
  actor: {
    kind: "choice",
    label: "actor",
    all: "anybody",
    // An actor chosen in the table.
    other: "only_this",
    options: (_, t) => KINDS.map((kind) => [kind, t(`kind_${kind}`)]),
  },
  action: {
    kind: "choice",
    label: "action",
    all: "anything",
    options: ({ language }) => actionOptions(language),
  },
});

/** Returns the filters in the address. */
export function filterOf({ query }: Visit): AuditFilter {
  return filters.read((name) => query[name]);
}

/** Returns the filter as the core's request. */
export function requestOf(visit: Visit, filter: AuditFilter) {
  return { ...filters.request(filter), tenantId: visit.tenantId, mode: MODES[visit.mode] };
}
