import type { JsonObject } from "@bufbuild/protobuf";
import type { InferEntity, FilterQuery } from "@mikro-orm/core";
import type pg from "pg";
import { objectsOf } from "../../contract/json-text.ts";
import { AuditEntry, isActorKind, type AuditRow } from "../platform/audit-entry.ts";
import type { Mode } from "../platform/caller.ts";
import type { Environment } from "../platform/database.ts";
import { COUNTED_MAX, type Cursor } from "../platform/keyset-page.ts";
import type { Period } from "../platform/period.ts";

export type AuditEntryRow = AuditRow;

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
): Promise<Cursor | null> {
  return await orm.em.fork().findOne(AuditEntry, { tenantId, id }, { fields: ["id", "createdAt"] });
}

/** Returns at most `limit` entries, long details unparsed, latest first or earliest first, starting after `after` if given. */
export async function listAuditEntries(
  { orm, pool }: Environment,
  tenantId: string,
  filter: AuditFilter,
  after: Cursor | undefined,
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
  const orderBy = { createdAt: way, id: way } as const;
  const rows = await orm.em
    .fork()
    .find(AuditEntry, { $and: conditions }, { orderBy, limit, exclude: ["details"] });
  const ids = rows.map(({ id }) => id);
  const details = await detailsOf(pool, tenantId, ids);
  return rows.map((row) => ({ ...row, details: details.get(row.id) ?? {} }));
}

/** Returns the entries' details by id. A page of changed links may have 20 MB, which would take seconds if all were parsed. */
async function detailsOf(
  pool: Pick<pg.Pool, "query">,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const { rows } = await pool.query<{ id: string; details: string }>({
    name: "details of audit entries",
    text: `SELECT id, details::text AS details FROM identity.audit_entry WHERE tenant_id = $1 AND id = ANY ($2)`,
    values: [tenantId, ids],
  });
  const objects = objectsOf(rows.map(({ details }) => details));
  return new Map(rows.map(({ id }, index) => [id, objects[index] ?? {}]));
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
): FilterQuery<InferEntity<typeof AuditEntry>>[] {
  const conditions: FilterQuery<InferEntity<typeof AuditEntry>>[] = [
    { tenantId, createdAt: { $gte: from, $lt: until } },
  ];
  if (mode) conditions.push({ $or: [{ mode }, { mode: null }] });
  if (actor !== undefined) conditions.push(isActorKind(actor) ? { actorKind: actor } : { actorId: actor });
  if (action !== undefined) conditions.push({ action });
  return conditions;
}
