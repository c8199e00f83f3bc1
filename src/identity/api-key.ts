import { hash, randomBytes } from "node:crypto";
import type { Mode } from "../platform/rpc/caller.ts";

/** Returns a new plaintext key: the mode's prefix and 256 random bits. */
export function newKey(mode: Mode): string {
  return `${keyPrefix(mode)}${randomBytes(32).toString("base64url")}`;
}

export function keyPrefix(mode: Mode): string {
  return `svc_${mode}_`;
}

/**
 * Returns the hex SHA-256 of a plaintext key. Only this hash is stored. A key of 256 random bits needs no slow hash.
 */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}
