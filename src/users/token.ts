import { hash, randomBytes } from "node:crypto";

/** A new token of a session or a one-time link: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Hex SHA-256 of a token: all that is kept of it. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** The hash that a caller sent, as it is kept. */
export function hexOf(tokenHash: Uint8Array): string {
  return Buffer.from(tokenHash).toString("hex");
}
