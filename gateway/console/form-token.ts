import { Tokens } from "@fastify/csrf";
import { createHmac, hash } from "node:crypto";

/** Name of the hidden field. */
export const TOKEN_FIELD = "form_token";

const tokens = new Tokens({});

/** Returns a token for a page's forms that is valid only with this browser's secret. */
export function newFormToken(secret: string): string {
  return tokens.create(derived(secret));
}

export function isFormToken(secret: string, token: string | undefined): boolean {
  return token !== undefined && token !== "" && tokens.verify(derived(secret), token);
}

/** Returns what proves that a text was made with this secret. */
export function proofOf(secret: string, text: string): string {
  return createHmac("sha256", derived(secret)).update(text).digest("base64url");
}

/** Returns a new secret for the forms of a browser without a session. */
export function newFormSecret(): string {
  return tokens.secretSync();
}

// Pages show tokens, so they are made from a hash instead of the session's own secret.
function derived(secret: string): string {
  return hash("sha256", `form ${secret}`, "base64url");
}
