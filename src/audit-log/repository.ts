import type { InferEntity, FilterQuery } from "@mikro-orm/core";
import { AuditEntry, isActorKind } from "../platform/audit-entry.ts";
import type { Mode } from "../platform/caller.ts";
import { Conditions } from "../platform/conditions.ts";
import type { Environment } from "../platform/database.ts";
import { COUNTED_MAX } from "../platform/keyset-page.ts";
import type { Period } from "../platform/period.ts";

// An entry may have 125 KB of thousands of values: a page of a thousand such took a gateway 6 s, and some 300 MB.
const PAGE_BYTES = 256 * 1024;
// Stored shorter than it is: its length is not known until it is read.
const COMPRESSED_BYTES = 64 * 1024;

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

/** Returns at most `limit` entries, latest first or earliest first, starting after `after` if given. */
export async function listAuditEntries(
  { orm }: Environment,
  tenantId: string,
  filter: AuditFilter,
  after: AuditEntryRow | undefined,
  limit: number,
  isOldestFirst = false,
): Promise<AuditEntryRow[]> {
  const conditions = conditionsOf(tenantId, filter);
  if (after) {
    const { createdAt, id } = after;
    const beyond = <Value>(value: Value) => (isOldestFirst ? { $gt: value } : { $lt: value });
    conditions.push({ createdAt: isOldestFirst ? { $gte: createdAt } : { $lte: createdAt } });
    conditions.push({ $or: [{ createdAt: beyond(createdAt) }, { createdAt, id: beyond(id) }] });
  }
  const way = isOldestFirst ? "asc" : "desc";
  return await orm.em
    .fork()
    .find(AuditEntry, { $and: conditions }, { orderBy: { createdAt: way, id: way }, limit });
}

/**
 * Returns how many of the entries that `listAuditEntries` would return are together not too large for one page: at least
 * one. Reads no details.
 */
export async function countFittingEntries(
  { pool }: Environment,
  tenantId: string,
  { from, until, mode, actor, action }: AuditFilter,
  after: AuditEntryRow | undefined,
  limit: number,
  isOldestFirst = false,
): Promise<number> {
  const where = new Conditions().add(
    "tenant_id = $ AND created_at >= $ AND created_at < $",
    tenantId,
    from,
    until,
  );
  const [way, beyond] = isOldestFirst ? ["ASC", ">"] : ["DESC", "<"];
  if (after) where.add(`(created_at, id) ${beyond} ($, $)`, after.createdAt, after.id);
  if (mode) where.add("mode = $ OR mode IS NULL", mode);
  if (actor !== undefined) where.add(`${isActorKind(actor) ? "actor_kind" : "actor_id"} = $`, actor);
  if (action !== undefined) where.add("action = $", action);
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT CASE WHEN pg_column_compression(details) IS NULL THEN pg_column_size(details) ELSE ${COMPRESSED_BYTES} END AS bytes
      FROM audit_entry WHERE ${where.text} ORDER BY created_at ${way}, id ${way} LIMIT ${limit}`,
    where.values,
  );
  let [left, count] = [PAGE_BYTES, 0];
  for (const { bytes } of rows) {
    left -= bytes;
    if (left < 0) break;
    count++;
  }
  return Math.max(1, count);
}

/** Returns the number of entries that match, at most 1001. */
export async function countAuditEntries(
  { orm }: Environment,
  tenantId: string,
  filter: AuditFilter,
): Promise<number> {
  const $and = conditionsOf(tenantId, filter);
  const found = await orm.em.fork().find(AuditEntry, { $and }, { fields: ["id"], limit: COUNTED_MAX });
  return found.length;
}

function conditionsOf(
  tenantId: string,
  { from, until, mode, actor, action }: AuditFilter,
): FilterQuery<AuditEntryRow>[] {
  const conditions: FilterQuery<AuditEntryRow>[] = [{ tenantId, createdAt: { $gte: from, $lt: until } }];
  if (mode) conditions.push({ $or: [{ mode }, { mode: null }] });
  if (actor !== undefined) conditions.push(isActorKind(actor) ? { actorKind: actor } : { actorId: actor });
  if (action !== undefined) conditions.push({ action });
  return conditions;
}
