import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { invalidRequest, PaylinkError } from "../rpc/errors.ts";
import { REFUSED_PORTS } from "./refused-ports.ts";
import { webAddress } from "../../../contract/web-address.ts";

// The rules for the addresses outside that the service connects to: those of webhooks and of providers. The check of a
// new address and every connection use the same two functions: `readOutsideUrl` for the address itself, and the lookup
// of `allowedLookup` for the addresses behind its name.

/** The addresses that may be connected to. */
export interface AddressPolicy {
  /** True: this machine's loopback addresses are allowed, for a developer. */
  readonly isLoopbackAllowed: boolean;
}

/** What an address is for: the rest of its rules, and the words of its errors. */
export interface AddressUse {
  /** The field that holds the address. */
  readonly param: string;
  /** True: http is allowed where loopback addresses are. */
  readonly isHttpAllowed: boolean;
  /** What is not done with a refused address. */
  readonly refusal: string;
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

/** Reads an address. A host that is an IP address is checked in any notation. Error: invalid_request on `use.param`. */
export function readOutsideUrl(text: string, policy: AddressPolicy, use: AddressUse): URL {
  const { param } = use;
  const refused = (what: string): PaylinkError => invalidRequest(param, `${param} ${what}`);
  const url = webAddress(text);
  if (!url) throw refused("is not a URL.");
  const isHttpAllowed = use.isHttpAllowed && policy.isLoopbackAllowed;
  if (url.protocol !== "https:" && !(isHttpAllowed && url.protocol === "http:")) {
    throw refused("must begin with https://.");
  }
  if (url.username !== "" || url.password !== "") throw refused("must not hold a user name or password.");
  if (url.hash !== "") throw refused("must not hold a fragment.");
  if (url.port !== "" && REFUSED_PORTS.has(Number(url.port))) {
    throw refused("must not name a port of another protocol.");
  }
  const host = hostOf(url);
  const isRefused = ipaddr.isValid(host)
    ? isRefusedAddress(host, policy)
    : LOCAL_NAME.test(host) && !policy.isLoopbackAllowed;
  if (isRefused) throw refusedAddress(host, use);
  return url;
}

/**
 * Resolves the address's name, and refuses it if it leads to a refused address. A name that does not resolve yet is
 * accepted, because every connection resolves it again. Error: invalid_request on `use.param`.
 */
export async function checkOutsideName(
  url: URL,
  policy: AddressPolicy,
  lookup: LookupFunction,
  use: AddressUse,
): Promise<void> {
  const host = hostOf(url);
  if (ipaddr.isValid(host)) return;
  await new Promise<void>((resolve, reject) => {
    allowedLookup(lookup, policy)(host, { all: true }, (error) => {
      if (isAddressRefused(error)) reject(refusedAddress(host, use));
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

/** Returns true if a connection failed because of these rules. */
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

function refusedAddress(host: string, { param, refusal }: AddressUse): PaylinkError {
  return invalidRequest(param, `${host} does not lead to the public internet: ${refusal}.`);
}
