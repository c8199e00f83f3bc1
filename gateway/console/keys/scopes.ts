/** The scopes of a key, by their names in the API. */
export const SCOPES = [
  "payment_links:write",
  "quotes:write",
  "payment_intents:write",
  "payments:read",
] as const;
