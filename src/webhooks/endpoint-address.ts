import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { REFUSED_PORTS } from "./refused-ports.ts";

// The rules for the addresses of webhooks. Registration and every delivery use the same two functions:
// `readEndpointUrl` for the address itself, and the lookup of `allowedLookup` for the addresses behind its name.

/** The addresses that webhooks may be sent to. */
export interface AddressPolicy {
  /** True: http and this machine's loopback addresses are allowed, for a developer's receiver. */
  readonly isLoopbackAllowed: boolean;
}

/** A name resolves to a refused address. */
class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED";
}

// IANA has assigned no other IPv6 addresses to the internet; ipaddr.js classifies some of the rest as public.
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");
// Public by its range, but local to the host: Azure serves its virtual machines at this address.
const CLOUD_HOSTS: ReadonlySet<string> = new Set(["168.63.129.16"]);
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "::1"]);
// RFC 6761, with the final dot of a fully qualified name.
const LOCAL_NAME = /(^|\.)localhost\.?$/;
const REFUSED_URL_PORT = "url must not name a port of another protocol.";

/**
 * Reads an endpoint's address. A host that is an IP address is checked in any notation. Error: invalid_request on url.
 */
export function readEndpointUrl(text: string, policy: AddressPolicy): URL {
  const url = URL.parse(text);
  if (!url) throw badUrl("url is not a URL.");
  if (url.protocol !== "https:" && !(policy.isLoopbackAllowed && url.protocol === "http:")) {
    throw badUrl("url must begin with https://.");
  }
  if (url.username !== "" || url.password !== "") throw badUrl("url must not hold a user name or password.");
  if (url.hash !== "") throw badUrl("url must not hold a fragment.");
  if (url.port !== "" && REFUSED_PORTS.has(Number(url.port))) throw badUrl(REFUSED_URL_PORT);
  const host = hostOf(url);
  const isRefused = ipaddr.isValid(host)
    ? isRefusedAddress(host, policy)
    : LOCAL_NAME.test(host) && !policy.isLoopbackAllowed;
  if (isRefused) throw refusedAddress(host);
  return url;
}

/**
 * Resolves the address's name, and refuses it if it leads to a refused address. A name that does not resolve yet is
 * accepted, because every delivery resolves it again. Error: invalid_request on url.
 */
export async function checkEndpointName(
  url: URL,
  policy: AddressPolicy,
  lookup: LookupFunction,
): Promise<void> {
  const host = hostOf(url);
  if (ipaddr.isValid(host)) return;
  await new Promise<void>((resolve, reject) => {
    allowedLookup(lookup, policy)(host, { all: true }, (error) => {
      if (isAddressRefused(error)) reject(refusedAddress(host));
      else resolve();
    });
  });
}

/** Returns a lookup that fails if the name resolves to any refused address. */
export function allowedLookup(lookup: LookupFunction, policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const isRefused = !error && addressesIn(found).some((address) => isRefusedAddress(address, policy));
      if (isRefused) callback(new AddressRefused(`${hostname} leads to an address that is not sent to`), []);
      else callback(error, found, family);
    });
  };
}

/** Returns true if an attempt failed because of these rules. */
export function isAddressRefused(error: unknown): boolean {
  return error instanceof AddressRefused || error instanceof PaylinkError;
}

function addressesIn(found: string | LookupAddress[]): string[] {
  return typeof found === "string" ? [found] : found.map(({ address }) => address);
}

function isRefusedAddress(address: string, { isLoopbackAllowed }: AddressPolicy): boolean {
  if (isLoopbackAllowed && LOOPBACK_ADDRESSES.has(address)) return false;
  if (!ipaddr.isValid(address) || CLOUD_HOSTS.has(address)) return true;
  const parsed = ipaddr.parse(address);
  return parsed.range() !== "unicast" || (parsed.kind() === "ipv6" && !parsed.match(GLOBAL_UNICAST));
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function refusedAddress(host: string): PaylinkError {
  return badUrl(`${host} does not lead to the public internet: webhooks are not sent there.`);
}

function badUrl(message: string): PaylinkError {
  return invalidRequest("url", message);
}
