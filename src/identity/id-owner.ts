import type { Mode } from "../platform/rpc/caller.ts";
import { insert, type Change } from "../platform/write/change.ts";
import { IdOwner } from "./entities.ts";

/**
 * Returns the change that records which tenant and mode own an id. It belongs in the query that writes the row of
 * that id. Pages, files, callbacks and key hashes are found by it.
 */
export function insertIdOwner(id: string, tenantId: string, mode: Mode): Change {
  return insert(IdOwner, { id, tenantId, mode });
}
