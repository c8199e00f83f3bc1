import type { Caller } from "../platform/caller.ts";
import type { Change } from "../platform/change.ts";
import { secondsAfter } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { isTotalRefused } from "../pricing/charge-limit.ts";
import { needsConversion } from "../pricing/fee-rule.ts";
import {
  insertPrices,
  lockRate,
  methodUnsupported,
  priceRow,
  priceRowAt,
  type FxLock,
  type Way,
} from "../pricing/pricer.ts";
import { ratchetRateMicros } from "../pricing/rate.ts";
import { findPrice } from "../pricing/repository.ts";
import type { Pricing } from "../pricing/service.ts";
import { isNetRefused } from "../pricing/ways.ts";
import type { PaymentLinkRow } from "./entities.ts";

/** How long the prices of a session, and its rate, hold. */
export const SESSION_SECONDS = 900;

/** When the prices of a session end that begins now: after 900 seconds, and not later than its link. */
export function sessionExpiry({ expiresAt }: PaymentLinkRow, now: Date): Date {
  const end = secondsAfter(now, SESSION_SECONDS);
  return expiresAt && expiresAt < end ? expiresAt : end;
}

export interface LinkPriceDeps {
  readonly pricing: Pricing;
  readonly environment: Environment;
  readonly caller: Caller;
  readonly now: Date;
}

/** Prices of ways to pay a link, all at one rate. */
export interface LinkPrices {
  readonly prices: readonly PriceValues[];
  /** The rate that was locked for them; absent: none was needed. */
  readonly locked?: { readonly lock: FxLock; readonly change: Change } | undefined;
  /** Whether they are to be written; the quote's price is there already. */
  readonly isNew: boolean;
}

/** What keeps these of the prices. */
export function pricesWritten({ locked, isNew }: LinkPrices, prices: readonly PriceValues[]): Change[] {
  return isNew ? [...(locked ? [locked.change] : []), insertPrices(prices)] : [];
}

/**
 * The prices of a link at this moment: the quote's, held up by the ratchet, or today's of each way. Ways that leave the
 * merchant nothing are left out when others remain, as are those whose total has grown past what can be charged.
 * Errors: quote_fx_required, payment_method_unsupported, merchant_net_not_positive.
 */
export async function pricesNow(
  link: PaymentLinkRow,
  ways: readonly Way[],
  deps: LinkPriceDeps,
): Promise<LinkPrices> {
  if (link.priceId != null) return await quotedPrice(link, link.priceId, deps);
  const { pricing, caller, now } = deps;
  const book = await pricing.bookOf(caller.mode, caller.tenantId);
  const isConverted = needsConversion(link.currency, link.payoutCurrency);
  const locked = isConverted ? await lockAt(book.requireRateAt(now).rateMicros, deps) : undefined;
  const prices: PriceValues[] = [];
  let refused: unknown;
  for (const way of ways) {
    try {
      prices.push(priceRow(caller.tenantId, book, link, way, locked?.lock ?? null, now));
    } catch (error) {
      if (isTotalRefused(error)) refused ??= methodUnsupported(way.method);
      else if (isNetRefused(error)) refused ??= error;
      else throw error;
    }
  }
  if (prices.length === 0 && refused !== undefined) throw refused;
  return { prices, locked, isNew: true };
}

async function quotedPrice(link: PaymentLinkRow, priceId: string, deps: LinkPriceDeps): Promise<LinkPrices> {
  const { pricing, environment, caller, now } = deps;
  const quoted = await findPrice(environment, link.tenantId, priceId);
  if (quoted.rateMicros == null) return { prices: [quoted], isNew: false };
  const book = await pricing.bookOf(caller.mode, caller.tenantId);
  const rateMicros = ratchetRateMicros(quoted.rateMicros, book.rateAt(now)?.rateMicros ?? null);
  if (rateMicros === quoted.rateMicros) return { prices: [quoted], isNew: false };
  const locked = await lockAt(rateMicros, deps);
  return { prices: [priceRowAt(quoted, locked.lock, now)], locked, isNew: true };
}

async function lockAt(
  rateMicros: bigint,
  { pricing, caller, now }: LinkPriceDeps,
): Promise<{ lock: FxLock; change: Change }> {
  const book = await pricing.bookOf(caller.mode, caller.tenantId);
  const id = await pricing.nextLockId(caller.mode);
  return lockRate(caller.tenantId, id, { ...book.requireRateAt(now), rateMicros }, now, SESSION_SECONDS);
}
