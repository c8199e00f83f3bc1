import { PlacesInTurns } from "../../contract/places-in-turns.ts";
import { PaylinkError } from "../platform/errors.ts";

// Each picture occupies a process, and one of the machine's few processors.
const RUNNING_MAX = 2;
const WAITING_OF_TENANT_MAX = 12;
// Each waiting picture has up to 3 MB.
const WAITING_MAX = 48;

/**
 * Bounds the pictures that are decoded at a time: a few of all tenants, and one of each tenant. A few more wait, and
 * tenants take turns. Error: service_unavailable if too many wait.
 */
export class DecoderPlaces extends PlacesInTurns {
  constructor(runningMax = RUNNING_MAX) {
    super(runningMax, { ofOwner: WAITING_OF_TENANT_MAX, ofAll: WAITING_MAX, refusal: tooMany });
  }
}

function tooMany(): PaylinkError {
  return new PaylinkError("service_unavailable", "Too many pictures at once: send it again in a moment.");
}
