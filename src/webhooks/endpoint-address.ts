import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { invalidRequest, type PaylinkError } from "../platform/errors.ts";

/** Which addresses may be sent to. */
export interface AddressPolicy {
  /** True: http, and this machine's own loopback addresses, as a developer's receiver has them. */
  readonly isLoopbackAllowed: boolean;
}

// IANA has assigned no other IPv6 addresses to the internet; ipaddr.js takes some of the rest for public.
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

export const LOOPBACK_ADDRESSES: readonly string[] = ["127.0.0.1", "::1"];

/**
 * Reads an endpoint's address. A host that is written as an IP address is looked at in every notation of it.
 * Error: invalid_request on url.
 */
export function readEndpointUrl(text: string, policy: AddressPolicy): URL {
  const url = URL.parse(text);
  if (!url) throw badUrl("url is not a URL.");
  if (url.protocol !== "https:" && !(policy.isLoopbackAllowed && url.protocol === "http:")) {
    throw badUrl("url must begin with https://.");
  }
  if (url.username !== "" || url.password !== "") throw badUrl("url must not hold a user name or password.");
  if (url.hash !== "") throw badUrl("url must not hold a fragment.");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(host) && isRefused(host, policy)) throw refusedAddress(host);
  return url;
}

/**
 * Looks its name up and refuses a name that leads to an address that is not sent to. A name that is not known yet is
 * let through: every delivery looks again.
 */
export async function checkEndpointName(
  { hostname }: URL,
  policy: AddressPolicy,
  lookup: LookupFunction,
): Promise<void> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = ipaddr.isValid(host) ? [] : await addressesOf(host, lookup);
  for (const { address } of addresses) if (isRefused(address, policy)) throw refusedAddress(host);
}

async function addressesOf(host: string, lookup: LookupFunction): Promise<LookupAddress[]> {
  return await new Promise((resolve) => {
    lookup(host, { all: true }, (error, found) => {
      resolve(error || typeof found === "string" ? [] : found);
    });
  });
}

function isRefused(address: string, { isLoopbackAllowed }: AddressPolicy): boolean {
  if (isLoopbackAllowed && LOOPBACK_ADDRESSES.includes(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() !== "unicast" || (parsed.kind() === "ipv6" && !parsed.match(GLOBAL_UNICAST));
}

function refusedAddress(host: string): PaylinkError {
  return badUrl(`${host} does not lead to the public internet: webhooks are not sent there.`);
}

function badUrl(message: string): PaylinkError {
  return invalidRequest("url", message);
}
