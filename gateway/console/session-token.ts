import { hash } from "node:crypto";

/** Returns the hash by which the core knows a session. */
export function hashToken(token: string): Uint8Array {
  return hash("sha256", token, "buffer");
}
