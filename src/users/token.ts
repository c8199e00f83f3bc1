import { hash, randomBytes } from "node:crypto";

/** Returns a new token of a session or a one-time link: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the hex SHA-256 of a token. Only this hash is stored. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** Returns a caller's hash in the form that is stored. */
export function hexOf(tokenHash: Uint8Array): string {
  return Buffer.from(tokenHash).toString("hex");
}
