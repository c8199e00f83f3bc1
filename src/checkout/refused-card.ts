import type { PaymentLinkRow } from "../links/entities.ts";
import { insert, type Change } from "../platform/write/change.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { CardProvider } from "../providers/card-port.ts";
import type { Decline, KnownCard } from "../providers/decline.ts";
import { meaningOf } from "../providers/registry.ts";
import type { State } from "./charge-state.ts";
import { RefusedCard } from "./entities.ts";

type Link = Pick<PaymentLinkRow, "tenantId" | "id" | "isCampaign">;

/**
 * Returns the forms in which a card is kept, which say nothing without the data key; the first one is the narrowest. A
 * single link has one payer: it knows a card by its key alone. Other payers of a campaign may have cards of the same key:
 * beyond its session a card is known there with its holder.
 */
export function cardHashes(
  encryption: Encryption,
  link: Link,
  sessionId: string,
  { key, holder }: KnownCard,
): string[] {
  const hashed = (...parts: string[]): string =>
    encryption.keyedHash(JSON.stringify(parts), `refused card of ${link.id}`);
  if (!link.isCampaign) return [hashed("link", key)];
  const ofSession = hashed("session", sessionId, key);
  return holder === null ? [ofSession] : [ofSession, hashed("holder", key, holder)];
}

/**
 * Returns the changes that keep a declined card which may not be tried again: the card as the decline has it, else the
 * one that the charge was started with.
 */
export async function insertRefusedCards(
  environment: Environment,
  encryption: Encryption,
  { charge, link, now }: State,
  decline: Decline,
): Promise<Change[]> {
  if (meaningOf(decline).isReversible) return [];
  const started = charge.cardTokenHash == null ? [] : [charge.cardTokenHash];
  const hashes = decline.card ? cardHashes(encryption, link, charge.sessionId, decline.card) : started;
  const { tenantId, id: linkId } = link;
  if (hashes.length === 0) return [];
  const kept = new Set(await keptOf(environment, link, hashes));
  return hashes
    .filter((cardHash) => !kept.has(cardHash))
    .map((cardHash) => insert(RefusedCard, { tenantId, linkId, cardHash, createdAt: now }));
}

/**
 * Returns the card of a token: what its provider says of it, else the token alone. The provider is asked only if a card
 * was refused for good on the link.
 */
export async function cardOf(
  { pool }: Environment,
  { tenantId, linkId }: { readonly tenantId: string; readonly linkId: string },
  provider: CardProvider | undefined,
  token: string,
): Promise<KnownCard> {
  const unknown = { key: token, holder: null };
  if (!provider?.cardOf) return unknown;
  const { rowCount } = await pool.query({
    name: "any card refused for good",
    text: "SELECT FROM refused_card WHERE tenant_id = $1 AND link_id = $2 LIMIT 1",
    values: [tenantId, linkId],
  });
  return rowCount === 0 ? unknown : ((await provider.cardOf(token)) ?? unknown);
}

/** Error: card_refused_for_good if the issuer of the card with these hashes refused a payment of the link for good. */
export async function requireUsableCard(
  environment: Environment,
  link: Link,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0 || (await keptOf(environment, link, hashes)).length === 0) return;
  const message = "The card's issuer has refused this card for good: another one is needed.";
  throw new PaylinkError("card_refused_for_good", message, "card_token");
}

async function keptOf(
  { pool }: Environment,
  { tenantId, id }: Link,
  hashes: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ cardHash: string }>({
    name: "cards refused for good",
    text: `SELECT card_hash AS "cardHash" FROM refused_card
      WHERE tenant_id = $1 AND link_id = $2 AND card_hash = ANY ($3)`,
    values: [tenantId, id, hashes],
  });
  return rows.map(({ cardHash }) => cardHash);
}
