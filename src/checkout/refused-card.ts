import { hash } from "node:crypto";
import type { Environment } from "../platform/database.ts";
import { PaylinkError } from "../platform/errors.ts";
import type { CardProvider } from "../providers/card-port.ts";
import type { Decline } from "../providers/decline.ts";
import { meaningOf } from "../providers/decline-code.ts";
import type { ChargeRow, CheckoutSessionRow } from "./entities.ts";

/** Returns the form in which a card's token is kept: two starts with one token can be compared, and it cannot be used. */
export function tokenHash(token: string): string {
  return hash("sha256", token);
}

/**
 * Returns the form in which a declined card is kept, or null if it may be tried again: of all its tokens where the
 * provider tells what they have in common, else of the one that was sent.
 */
export function refusedHash(
  decline: Decline,
  { cardTokenHash }: Pick<ChargeRow, "cardTokenHash">,
): string | null {
  if (meaningOf(decline).isReversible) return null;
  return decline.cardKey === undefined ? (cardTokenHash ?? null) : tokenHash(decline.cardKey);
}

/**
 * Returns what a start's card is known by: what its provider says that all tokens of the card have in common, else the
 * token. The provider is asked only if it refused a card of this session for good.
 */
export async function usedCard(
  { pool }: Environment,
  { tenantId, sessionId }: { readonly tenantId: string; readonly sessionId: string },
  card: CardProvider | undefined,
  token: string,
): Promise<string> {
  if (!card?.cardKeyOf) return token;
  const { rowCount } = await pool.query({
    name: "any card refused for good",
    text: `SELECT FROM charge c JOIN payment p ON p.tenant_id = c.tenant_id AND p.id = c.payment_id
      WHERE c.tenant_id = $1 AND c.session_id = $2 AND c.card_token_hash IS NOT NULL AND p.status = 'failed' LIMIT 1`,
    values: [tenantId, sessionId],
  });
  return rowCount === 0 ? token : ((await card.cardKeyOf(token)) ?? token);
}

/** Error: card_refused_for_good if the card's issuer refused a payment of this session with the same token for good. */
export async function requireUsableCard(
  { pool }: Environment,
  { tenantId, id }: Pick<CheckoutSessionRow, "tenantId" | "id">,
  cardTokenHash: string,
): Promise<void> {
  const { rowCount } = await pool.query({
    name: "card refused for good",
    text: `SELECT FROM charge c JOIN payment p ON p.tenant_id = c.tenant_id AND p.id = c.payment_id
      WHERE c.tenant_id = $1 AND c.session_id = $2 AND c.card_token_hash = $3 AND p.status = 'failed' LIMIT 1`,
    values: [tenantId, id, cardTokenHash],
  });
  if (rowCount === 0) return;
  const message = "The card's issuer has refused this card for good: another one is needed.";
  throw new PaylinkError("card_refused_for_good", message, "card_token");
}
