import { hash, randomBytes } from "node:crypto";
import type { Mode } from "../platform/caller.ts";

/** Every scope there is. */
export const SCOPES = [
  "payment_links:write",
  "quotes:write",
  "payment_intents:write",
  "payments:read",
] as const;

/** A new plaintext key: the mode's prefix and 256 random bits. */
export function newKey(mode: Mode): string {
  return `${keyPrefix(mode)}${randomBytes(32).toString("base64url")}`;
}

export function keyPrefix(mode: Mode): string {
  return `svc_${mode}_`;
}

/** Hex SHA-256 of a plaintext key: all that is kept of it. A key of 256 random bits needs no slow hash. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}
