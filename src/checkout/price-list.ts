import { hash } from "node:crypto";
import type { PaymentLinkRow } from "../links/entities.ts";
import { pricesWritten, type LinkPrices } from "../links/link-price.ts";
import { hold, insert, insertAll, type Change } from "../platform/change.ts";
import { newId } from "../platform/ids.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { CheckoutOption, PriceList } from "./entities.ts";

/** A price list, and what must be written, or stay as it is, for a session to have it. */
export interface UsedPriceList {
  readonly id: string;
  readonly changes: readonly Change[];
}

/**
 * Equal for prices that were made of the same and came to the same: rule, policy, amount, spot and every figure, and the
 * very time of the lock. A session's rate is locked for 900 seconds from its beginning on: where something is converted,
 * the sessions of one second share. Only what names a row is left out, and when it was written.
 */
export function fingerprintOf(prices: readonly PriceValues[], { locked }: LinkPrices): string {
  const values = prices.map(({ id: _id, createdAt: _at, fxRateHistoryId: _rate, ...value }) => value);
  const { spotId, coveragePpm } = locked?.lock ?? {};
  return hash("sha256", JSON.stringify([spotId, coveragePpm, values], asText), "base64url");
}

function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

/** A list that is there already: the commit fails when it was removed meanwhile. */
export function existingList({ tenantId }: PaymentLinkRow, id: string): UsedPriceList {
  return { id, changes: [hold(PriceList, { tenantId, id })] };
}

/** A list made now: the commit fails when another session of the link was first with the same. */
export function newList(
  { tenantId, id: linkId }: PaymentLinkRow,
  prices: readonly PriceValues[],
  priced: LinkPrices,
  fingerprint: string,
  now: Date,
): UsedPriceList {
  const id = newId("prl");
  const options = prices.map((price, index) => ({
    tenantId,
    priceListId: id,
    number: index + 1,
    priceId: price.id,
  }));
  return {
    id,
    changes: [
      ...pricesWritten(priced, prices),
      insert(PriceList, { tenantId, id, linkId, fingerprint, createdAt: now }),
      insertAll(CheckoutOption, options),
    ],
  };
}
