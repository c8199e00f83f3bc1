import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { invalidRequest, PaylinkError } from "./errors.ts";

const KEYS_MAX = 20;
const DEPTH_MAX = 32;
const RESERVED_PREFIX = "svc_";

/** Refuses metadata over its limits. Errors: invalid_request, reserved_metadata_key with the key as param. */
export function checkMetadata(metadata: JsonObject | undefined): void {
  if (metadata === undefined) return;
  const keys = Object.keys(metadata);
  const reserved = keys.find((key) => key.startsWith(RESERVED_PREFIX));
  if (reserved !== undefined) {
    const message = `Metadata keys with the prefix ${RESERVED_PREFIX} are reserved.`;
    throw new PaylinkError("reserved_metadata_key", message, reserved);
  }
  if (keys.length > KEYS_MAX)
    throw invalidRequest("metadata", `metadata must have at most ${KEYS_MAX} keys.`);
  if (depth(metadata) > DEPTH_MAX) {
    throw invalidRequest("metadata", `metadata must be nested at most ${DEPTH_MAX} deep.`);
  }
}

function depth(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depth(item));
  return deepest + 1;
}
