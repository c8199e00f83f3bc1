import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";

const OF_TENANT_MAX = 4;
const ALL_MAX = 16;
const STALL_MS = 30_000;

/**
 * Bounds the downloads of this process that are under way: each holds pages of rows until its client reads them. One of
 * which nothing is read for 30 seconds is cut off.
 */
export class OpenDownloads {
  readonly #stallMs: number;
  readonly #byTenant = new Map<string, number>();
  #all = 0;

  constructor(stallMs = STALL_MS) {
    this.#stallMs = stallMs;
  }

  /** Counts a download until it is read or its connection ends. Throws Refused if there are too many. */
  hold(visit: Visit): void {
    const { tenantId, reply } = visit;
    const { raw } = reply;
    // A client that left has nothing to read, and "close" does not come again.
    if (raw.destroyed || raw.closed) return;
    const ofTenant = this.#byTenant.get(tenantId) ?? 0;
    if (ofTenant >= OF_TENANT_MAX || this.#all >= ALL_MAX) throw new Refused("busy", visit);
    this.#add(tenantId, 1);
    raw.once("close", () => this.#add(tenantId, -1));
    raw.setTimeout(this.#stallMs, () => raw.destroy());
  }

  #add(tenantId: string, count: number): void {
    this.#all += count;
    const ofTenant = (this.#byTenant.get(tenantId) ?? 0) + count;
    if (ofTenant === 0) this.#byTenant.delete(tenantId);
    else this.#byTenant.set(tenantId, ofTenant);
  }
}

export const openDownloads = new OpenDownloads();
