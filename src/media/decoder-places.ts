import { PlacesInTurns } from "../../contract/places-in-turns.ts";
import { CostlyOwners } from "../platform/costly-owners.ts";
import { PaylinkError } from "../platform/errors.ts";

// Each picture occupies a process, and one of the machine's few processors.
const RUNNING_MAX = 2;
const COSTLY_RUNNING_MAX = 1;
const WAITING_OF_TENANT_MAX = 12;
// Each waiting picture has up to 3 MB.
const WAITING_MAX = 48;
const LIMITS = { ofOwner: WAITING_OF_TENANT_MAX, ofAll: WAITING_MAX, refusal: tooMany };

/**
 * Bounds the pictures that are decoded at a time: a few of all tenants, and one of each tenant. A few more wait, and
 * tenants take turns. Tenants with a costly picture wait for each other, and no others for them.
 */
export class DecoderPlaces {
  readonly #usual = new PlacesInTurns(RUNNING_MAX, LIMITS);
  readonly #ofCostly = new PlacesInTurns(COSTLY_RUNNING_MAX, LIMITS);
  readonly #costly = new CostlyOwners();

  /** Decodes when the tenant has a place. `decode` calls `onCostly` if it was. Error: service_unavailable if too many wait. */
  async run<Result>(tenantId: string, decode: (onCostly: () => void) => Promise<Result>): Promise<Result> {
    const isCostly = (): boolean => this.#costly.has(tenantId);
    const work = async (): Promise<Result> => await decode(() => this.#costly.note(tenantId));
    if (!isCostly()) {
      // Those that waited behind a costly one leave their place, and wait with its like.
      const done = await this.#usual.run(tenantId, async () =>
        isCostly() ? undefined : { result: await work() },
      );
      if (done) return done.result;
    }
    return await this.#ofCostly.run(tenantId, work);
  }
}

function tooMany(): PaylinkError {
  return new PaylinkError("service_unavailable", "Too many pictures at once: send it again in a moment.");
}
