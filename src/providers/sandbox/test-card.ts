import type { SandboxChargeRow } from "../entities.ts";

type Answer = Pick<SandboxChargeRow, "status" | "reason" | "challengeUrl" | "paidAt">;

const CHALLENGE_TOKEN = "tok_challenge";

/** The result of each test token: an issuer's response code, or null for approval. Unknown tokens get 14. */
const TOKEN_REASONS: Readonly<Record<string, string | null>> = {
  tok_approved: null,
  tok_insufficient_funds: "51",
  tok_card_declined: "05",
  tok_expired_card: "54",
  tok_invalid_card: "14",
  tok_card_not_supported: "57",
  tok_authentication_failed: "3ds_n",
  tok_payment_declined: "96",
};

/** Returns what a test card's issuer answers, by its token. */
export function answerTo(token: string, returnUrl: string, now: Date): Answer {
  const none = { reason: null, challengeUrl: null, paidAt: null };
  if (token === CHALLENGE_TOKEN) {
    return { ...none, status: "challenge", challengeUrl: `${returnUrl}/challenge` };
  }
  const reason = Object.hasOwn(TOKEN_REASONS, token) ? (TOKEN_REASONS[token] ?? null) : "14";
  if (reason === null) return { ...none, status: "paid", paidAt: now };
  return { ...none, status: "refused", reason };
}
