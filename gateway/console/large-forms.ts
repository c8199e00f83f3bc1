import { setImmediate } from "node:timers/promises";
import { PlacesInTurns } from "../../contract/places-in-turns.ts";
import { textsOf } from "../pages/form.ts";
import { Refused } from "./refused.ts";

const LARGE_CHARACTERS = 8 * 1024;
const RUNNING = { ofAll: 4, ofTenant: 2 };
// One that takes longer waits, as one for a webhook does for the server of its receiver's name, and keeps nothing busy.
const SLOW_MS = 250;
const WAITING = { ofOwner: 64, ofAll: 512, refusal: () => new Refused("busy") };

/**
 * Bounds the forms with long texts that are worked on at a time: a form that is shown again has all of them, and its page keeps
 * the process busy for 20 ms. More wait, and tenants take turns.
 */
export class LargeForms {
  readonly #places = new PlacesInTurns(RUNNING.ofAll, WAITING, RUNNING.ofTenant, SLOW_MS);

  /** Works on a tenant's form, by its body. Throws Refused if too many wait. */
  async run<Result>(tenantId: string, body: unknown, work: () => Promise<Result>): Promise<Result> {
    if (charactersIn(body) < LARGE_CHARACTERS) return await work();
    return await this.#places.run(tenantId, async () => {
      // What came from others meanwhile is taken first.
      await setImmediate();
      return await work();
    });
  }
}

function charactersIn(body: unknown): number {
  return [...textsOf(body).values()].flat().reduce((sum, { length }) => sum + length, 0);
}
