/** What a key may do, as the API names it. */
export const SCOPES = [
  "payment_links:write",
  "quotes:write",
  "payment_intents:write",
  "payments:read",
] as const;
