import { Tokens } from "@fastify/csrf";
import { hash } from "node:crypto";

/** The name of the hidden field. */
export const TOKEN_FIELD = "form_token";

const tokens = new Tokens({});

/** A token for the forms of one page, that only this browser's secret fits. */
export function newFormToken(secret: string): string {
  return tokens.create(derived(secret));
}

export function isFormToken(secret: string, token: string | undefined): boolean {
  return token !== undefined && token !== "" && tokens.verify(derived(secret), token);
}

/** A new secret for the forms of a browser without a session. */
export function newFormSecret(): string {
  return tokens.secretSync();
}

// The token is in pages; the session's own secret is not what it is made with.
function derived(secret: string): string {
  return hash("sha256", `form ${secret}`, "base64url");
}
