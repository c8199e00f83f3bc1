import { wordsOf } from "../../../contract/enum-words.ts";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { withQuery } from "../parts/table.ts";
import type { Visit } from "../visit.ts";

/** The filters of the audit log, as texts from the address. Empty: no filter. */
export interface AuditFilter {
  readonly from: string;
  readonly to: string;
  readonly actor: string;
  readonly action: string;
}

const modes = wordsOf(Mode);

export function filterOf({ query }: Visit): AuditFilter {
  const text = (name: string): string => (query[name] ?? "").trim();
  return { from: text("from"), to: text("to"), actor: text("actor"), action: text("action") };
}

/** Returns the filter as fields of the core's request. */
export function requestOf(visit: Visit, { from, to, actor, action }: AuditFilter) {
  return {
    tenantId: visit.tenantId,
    mode: modes.numbers[visit.mode],
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    ...(actor ? { actor } : {}),
    ...(action ? { action } : {}),
  };
}

/** Returns a page's address with the filter, changed in part. */
export function addressOf(
  visit: Visit,
  path: string,
  filter: AuditFilter,
  changed: Readonly<Record<string, string>> = {},
): string {
  return withQuery(visit.path(path), { ...filter, ...changed });
}
