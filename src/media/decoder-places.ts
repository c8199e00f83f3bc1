import { PaylinkError } from "../platform/errors.ts";
import { WaitingInTurns } from "../platform/waiting-in-turns.ts";

// Each picture occupies one of the process's four threads for file work and the like.
const RUNNING_MAX = 2;
const WAITING_OF_TENANT_MAX = 12;
// Each waiting picture has up to 3 MB.
const WAITING_MAX = 48;

/**
 * Bounds the pictures that are decoded at a time: a few of all tenants, and one of each tenant. A few more wait, and
 * tenants take turns.
 */
export class DecoderPlaces {
  readonly #running = new Set<string>();
  readonly #waiting = new WaitingInTurns({
    ofOwner: WAITING_OF_TENANT_MAX,
    ofAll: WAITING_MAX,
    refusal: tooMany,
  });

  /** Runs the work when the tenant has a place. Error: service_unavailable if too many wait. */
  async run<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#hasPlace(tenantId)) this.#running.add(tenantId);
    else await this.#waiting.turn(tenantId);
    try {
      return await work();
    } finally {
      this.#running.delete(tenantId);
      this.#waiting.putLast(tenantId);
      const next = this.#waiting.beginNext((owner) => this.#hasPlace(owner));
      if (next !== undefined) this.#running.add(next);
    }
  }

  #hasPlace(tenantId: string): boolean {
    return this.#running.size < RUNNING_MAX && !this.#running.has(tenantId);
  }
}

function tooMany(): PaylinkError {
  return new PaylinkError("service_unavailable", "Too many pictures at once: send it again in a moment.");
}
