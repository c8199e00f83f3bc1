import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { holdsCardNumber } from "../../../contract/card-number.ts";
import { invalidRequest, PaylinkError } from "./errors.ts";

const KEYS_MAX = 20;
const DEPTH_MAX = 32;
// 64 KiB of empty lists are 30,000 values, and take 20 to 40 ms to check, encode and store.
const VALUES_MAX = 2000;
// The shortest card numbers have 14 digits.
const CARD_NUMBER_MIN = 1e13;
const RESERVED_PREFIX = "svc_";

/** A merchant's own texts on an object, but for its reference and ids: these may look like a card number. */
interface OwnWords {
  readonly metadata?: JsonObject | undefined;
  readonly fee_strategy?: JsonObject | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly details?: string | undefined;
}

/** Refuses metadata over its limits, and card numbers in all. Errors: invalid_request, reserved_metadata_key. */
export function checkOwnWords({ metadata, fee_strategy: feeStrategy, ...texts }: OwnWords): void {
  for (const [param, text] of Object.entries(texts)) checkOwnText(param, text);
  requireFewValues("metadata", metadata);
  requireFewValues("fee_strategy", feeStrategy);
  checkMetadata(metadata);
  if (metadata !== undefined && holdsCard(metadata)) throw cardNumber("metadata");
  if (feeStrategy !== undefined && holdsCard(feeStrategy)) throw cardNumber("fee_strategy");
}

/** Refuses metadata over its limits. Errors: invalid_request, reserved_metadata_key with the key as param. */
function checkMetadata(metadata: JsonObject | undefined): void {
  if (metadata === undefined) return;
  const keys = Object.keys(metadata);
  const reserved = keys.find((key) => key.startsWith(RESERVED_PREFIX));
  if (reserved !== undefined) {
    const message = `Metadata keys with the prefix ${RESERVED_PREFIX} are reserved: choose another key.`;
    throw new PaylinkError("reserved_metadata_key", message, reserved);
  }
  if (keys.length > KEYS_MAX)
    throw invalidRequest("metadata", `metadata must have at most ${KEYS_MAX} keys.`);
  if (depth(metadata) > DEPTH_MAX) {
    throw invalidRequest("metadata", `metadata must be nested at most ${DEPTH_MAX} deep.`);
  }
  refuseUnkept(metadata);
}

/** Counting ends above the maximum. Error: invalid_request. */
function requireFewValues(param: string, object: JsonObject | undefined): void {
  if (object === undefined || countLeft(object, VALUES_MAX) >= 0) return;
  throw invalidRequest(param, `${param} must hold at most ${VALUES_MAX} members and elements in all.`);
}

/** Returns what is left of a number of members and elements, at any depth; below 0 if there are more. */
function countLeft(value: JsonValue, most: number): number {
  if (typeof value !== "object" || value === null) return most;
  const items = Array.isArray(value) ? value : Object.values(value);
  let left = most - items.length;
  for (const item of items) {
    if (left < 0) break;
    left = countLeft(item, left);
  }
  return left;
}

/** Refuses keys that a Struct can have and JSON cannot return. The gateway refuses them when it parses. */
function refuseUnkept(value: JsonValue): void {
  if (Array.isArray(value)) {
    for (const item of value) refuseUnkept(item);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") throw invalidRequest("metadata", "metadata must not have the key __proto__.");
    refuseUnkept(item);
  }
}

/** Checks keys, texts and numbers, at any depth. */
function holdsCard(value: JsonValue): boolean {
  if (typeof value === "string") return holdsCardNumber(value);
  if (typeof value === "number") {
    return Number.isInteger(value) && Math.abs(value) >= CARD_NUMBER_MIN && holdsCardNumber(String(value));
  }
  if (Array.isArray(value)) return value.some(holdsCard);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => holdsCardNumber(key) || holdsCard(item));
}

/** Refuses a card number in another text of a merchant. Error: invalid_request on it. */
export function checkOwnText(param: string, text: string | undefined): void {
  if (text !== undefined && holdsCardNumber(text)) throw cardNumber(param);
}

function cardNumber(param: string): PaylinkError {
  const message = `${param} reads as a card number, which is never taken here: a number of yours may be in reference.`;
  return new PaylinkError("invalid_request", message, param, { facts: { refusal: "card_number" } });
}

function depth(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depth(item));
  return deepest + 1;
}
