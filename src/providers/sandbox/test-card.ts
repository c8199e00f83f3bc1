import type { PaidCard } from "../card-brand.ts";
import type { SandboxChargeRow } from "../entities.ts";
import { answersAt, LATE_CARDS } from "./late-answer.ts";

type Answer = Pick<SandboxChargeRow, "status" | "reason" | "challengeUrl" | "paidAt" | "answersAt">;

const CHALLENGE_TOKEN = "tok_challenge";

/** The result of each test token: an issuer's response code, or null for approval. Unknown tokens get 14. */
const TOKEN_REASONS: Readonly<Record<string, string | null>> = {
  tok_approved: null,
  tok_slow: null,
  tok_silent: null,
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
  const late = answersAt(LATE_CARDS.get(token), now);
  const none = { reason: null, challengeUrl: null, paidAt: null, answersAt: late };
  if (token === CHALLENGE_TOKEN) {
    return { ...none, status: "challenge", challengeUrl: `${returnUrl}/challenge` };
  }
  const reason = Object.hasOwn(TOKEN_REASONS, token) ? (TOKEN_REASONS[token] ?? null) : "14";
  if (reason === null) return { ...none, status: "paid", paidAt: late ?? now };
  return { ...none, status: "refused", reason };
}

/** Returns the test card whose token was approved: at once, late, or after its challenge. */
export function cardOf({
  challengeUrl,
  answersAt: at,
  createdAt,
}: Pick<SandboxChargeRow, "challengeUrl" | "answersAt" | "createdAt">): PaidCard {
  if (challengeUrl !== null) return { brand: "visa", lastFour: "2008" };
  if (at == null) return { brand: "visa", lastFour: "1000" };
  const isSlow = at.getTime() - createdAt.getTime() === (LATE_CARDS.get("tok_slow") ?? 0) * 1000;
  return { brand: "visa", lastFour: isSlow ? "0001" : "1009" };
}
