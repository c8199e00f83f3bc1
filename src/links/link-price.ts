import type { Caller } from "../platform/rpc/caller.ts";
import type { Change } from "../platform/write/change.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { needsConversion } from "../pricing/fee-rule.ts";
import {
  insertPrices,
  lockRate,
  methodUnsupported,
  priceRow,
  priceRowAt,
  type FxLock,
  type PaymentOption,
  isTotalRefused,
} from "../pricing/pricer.ts";
import { ratchetRateMicros } from "../pricing/rate.ts";
import { findPrice } from "../pricing/repository.ts";
import type { Pricing } from "../pricing/service.ts";
import { isMethodRefused, isNetRefused } from "../pricing/payment-options.ts";
import type { PaymentLinkRow } from "./entities.ts";

/** The time in which a session's prices and its rate are valid. */
export const SESSION_SECONDS = 900;

/** Returns the end of a session that begins now: after 900 seconds, or at its link's end if that is earlier. */
export function sessionExpiry({ expiresAt }: PaymentLinkRow, now: Date): Date {
  const end = secondsAfter(now, SESSION_SECONDS);
  return expiresAt && expiresAt < end ? expiresAt : end;
}

export interface LinkPriceDeps {
  readonly pricing: Pick<Pricing, "bookOf" | "nextLockId">;
  readonly environment: Environment;
  readonly caller: Caller;
  readonly now: Date;
}

/** Prices of a link's payment options, all at one rate. */
export interface LinkPrices {
  readonly prices: readonly PriceValues[];
  /** The rate locked for them; absent: they need none. */
  readonly locked?: { readonly lock: FxLock; readonly change: Change } | undefined;
  /** True: the prices must be written. The quote's price is stored already. */
  readonly isNew: boolean;
}

/** Returns the changes that write these prices. */
export function insertLinkPrices({ locked, isNew }: LinkPrices, prices: readonly PriceValues[]): Change[] {
  return isNew ? [...(locked ? [locked.change] : []), insertPrices(prices)] : [];
}

/**
 * Returns the prices of a link at this moment: the quote's, with the higher rate of the ratchet, or current ones for
 * each option. An option is left out if the rule in force does not offer it, it leaves the merchant nothing or its total
 * is above the charge limit. If no option remains, it throws the first option's error. Errors: quote_fx_required,
 * payment_method_unsupported, merchant_net_not_positive.
 */
export async function pricesNow(
  link: PaymentLinkRow,
  options: readonly PaymentOption[],
  deps: LinkPriceDeps,
): Promise<LinkPrices> {
  if (link.priceId != null) return await quotedPrice(link, link.priceId, deps);
  const { pricing, caller, now } = deps;
  const book = await pricing.bookOf(caller.mode, caller.tenantId);
  const isConverted = needsConversion(link.currency, link.payoutCurrency);
  const locked = isConverted ? await lockAt(book.requireRateAt(now).rateMicros, deps) : undefined;
  const prices: PriceValues[] = [];
  let refused: unknown;
  for (const option of options) {
    try {
      prices.push(priceRow(caller.tenantId, book, link, option, locked?.lock ?? null, now));
    } catch (error) {
      if (isTotalRefused(error)) refused ??= methodUnsupported(option.method);
      else if (isNetRefused(error) || isMethodRefused(error)) refused ??= error;
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
