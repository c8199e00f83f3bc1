import type { LookupFunction } from "node:net";
import {
  checkOutsideName,
  readOutsideUrl,
  type AddressPolicy,
  type AddressUse,
} from "../platform/outside/outside-address.ts";

const USE: AddressUse = { param: "url", isHttpAllowed: true, refusal: "webhooks are not sent there" };

/** Reads an endpoint's address. Error: invalid_request on url. */
export function readEndpointUrl(text: string, policy: AddressPolicy): URL {
  return readOutsideUrl(text, policy, USE);
}

/** Refuses an address whose name leads to a refused one; see `checkOutsideName`. Error: invalid_request on url. */
export async function checkEndpointName(
  url: URL,
  policy: AddressPolicy,
  lookup: LookupFunction,
): Promise<void> {
  await checkOutsideName(url, policy, lookup, USE);
}
