import { hash } from "node:crypto";
import type { PaymentLinkRow } from "../links/entities.ts";
import { insertLinkPrices, type LinkPrices } from "../links/link-price.ts";
import { hold, insert, insertAll, type Change } from "../platform/write/change.ts";
import { newId } from "../../contract/ids.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { ListedOption, PriceList } from "./entities.ts";

/** A price list, and the changes and conditions under which a session may use it. */
export interface UsedPriceList {
  readonly id: string;
  readonly changes: readonly Change[];
}

/**
 * Returns the same fingerprint for prices with the same inputs and results: rule, policy, amount, spot, every figure,
 * and the exact time of the lock. A session's rate is locked for 900 seconds from the session's start: with a
 * conversion, only sessions of the same second share a list. Row ids and creation times are left out.
 */
export function fingerprintOf(prices: readonly PriceValues[], { locked }: LinkPrices): string {
  const values = prices.map(({ id: _id, createdAt: _at, fxRateHistoryId: _rate, ...value }) => value);
  const { spotId, coveragePpm } = locked?.lock ?? {};
  return hash("sha256", JSON.stringify([spotId, coveragePpm, values], asText), "base64url");
}

function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

/** Uses an existing list: the commit fails if the list was removed meanwhile. */
export function existingList({ tenantId }: PaymentLinkRow, id: string): UsedPriceList {
  return { id, changes: [hold(PriceList, { tenantId, id })] };
}

/** Creates a list: the commit fails if another session of the link created the same one first. */
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
      ...insertLinkPrices(priced, prices),
      insert(PriceList, { tenantId, id, linkId, fingerprint, createdAt: now }),
      insertAll(ListedOption, options),
    ],
  };
}
