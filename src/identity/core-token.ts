import { randomBytes } from "node:crypto";

const PREFIX = "core_";

/** Returns a new plaintext core token: 256 random bits. */
export function newCoreToken(): string {
  return `${PREFIX}${randomBytes(32).toString("base64url")}`;
}
