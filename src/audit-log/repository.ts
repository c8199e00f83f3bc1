import { raw, type InferEntity, type QBFilterQuery } from "@mikro-orm/postgresql";
import { AuditEntry, isActorKind } from "../platform/rpc/audit-entry.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { Conditions, countRows } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Period } from "../platform/time/period.ts";

// An entry may have 125 KB of thousands of values: a page of a thousand such took a gateway 6 s, and some 300 MB.
const PAGE_BYTES = 256 * 1024;
// Stored shorter than it is: its length is not known until it is read.
const COMPRESSED_BYTES = 64 * 1024;
const STORED_BYTES = `CASE WHEN pg_column_compression(e.details) IS NULL THEN pg_column_size(e.details)
  ELSE ${COMPRESSED_BYTES} END`;

export type AuditEntryRow = InferEntity<typeof AuditEntry>;

/** Selects entries of a tenant; an undefined field does not filter. */
export interface AuditFilter extends Period {
  /** Selects this mode's entries and those without a mode. */
  readonly mode: Mode | undefined;
  /** An actor's id, or an actor kind. */
  readonly actor: string | undefined;
  readonly action: string | undefined;
}

export async function findAuditEntry(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<AuditEntryRow | null> {
  return await orm.em.fork().findOne(AuditEntry, { tenantId, id });
}

/** Where a page of entries is: latest first or earliest first, after `after` if given. */
export interface AuditPage {
  readonly filter: AuditFilter;
  readonly after: AuditEntryRow | undefined;
  readonly isOldestFirst: boolean;
}

/** Returns at most `limit` entries. */
export async function listAuditEntries(
  { orm }: Environment,
  tenantId: string,
  page: AuditPage,
  limit: number,
): Promise<AuditEntryRow[]> {
  const { where, orderBy } = placeOf(tenantId, page);
  return await orm.em.fork().find(AuditEntry, where, { orderBy, limit });
}

/**
 * Returns how many of the entries that `listAuditEntries` would return are together not too large for one page: at least
 * one. Reads no details.
 */
export async function countFittingEntries(
  { orm }: Environment,
  tenantId: string,
  page: AuditPage,
  limit: number,
): Promise<number> {
  const { where, orderBy } = placeOf(tenantId, page);
  const rows = await orm.em
    .createQueryBuilder(AuditEntry, "e")
    .select(raw(`${STORED_BYTES} AS bytes`))
    .where(where)
    .orderBy(orderBy)
    .limit(limit)
    .execute<{ bytes: number }[]>("all");
  let [left, count] = [PAGE_BYTES, 0];
  for (const { bytes } of rows) {
    left -= bytes;
    if (left < 0) break;
    count++;
  }
  return Math.max(1, count);
}

function placeOf(tenantId: string, { filter, after, isOldestFirst }: AuditPage) {
  const conditions = conditionsOf(tenantId, filter);
  if (after) {
    const { createdAt, id } = after;
    const beyond = <Value>(value: Value) => (isOldestFirst ? { $gt: value } : { $lt: value });
    conditions.push({ createdAt: isOldestFirst ? { $gte: createdAt } : { $lte: createdAt } });
    conditions.push({ $or: [{ createdAt: beyond(createdAt) }, { createdAt, id: beyond(id) }] });
  }
  const way = isOldestFirst ? "asc" : "desc";
  return { where: { $and: conditions }, orderBy: { createdAt: way, id: way } } as const;
}

/** Returns the number of entries that match, at most 1001. */
export async function countAuditEntries(
  environment: Environment,
  tenantId: string,
  { from, until, mode, actor, action }: AuditFilter,
): Promise<number> {
  const where = new Conditions().add("e.tenant_id = $", tenantId);
  where.add("e.created_at >= $ AND e.created_at < $", from, until);
  if (mode) where.add("e.mode = $ OR e.mode IS NULL", mode);
  if (actor !== undefined) where.add(isActorKind(actor) ? "e.actor_kind = $" : "e.actor_id = $", actor);
  if (action !== undefined) where.add("e.action = $", action);
  return await countRows(environment, "audit_entry e", where);
}

function conditionsOf(
  tenantId: string,
  { from, until, mode, actor, action }: AuditFilter,
): QBFilterQuery<AuditEntryRow>[] {
  const conditions: QBFilterQuery<AuditEntryRow>[] = [{ tenantId, createdAt: { $gte: from, $lt: until } }];
  if (mode) conditions.push({ $or: [{ mode }, { mode: null }] });
  if (actor !== undefined) conditions.push(isActorKind(actor) ? { actorKind: actor } : { actorId: actor });
  if (action !== undefined) conditions.push({ action });
  return conditions;
}
