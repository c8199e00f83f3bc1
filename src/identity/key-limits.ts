import ipaddr from "ipaddr.js";
import { invalidRequest } from "../platform/rpc/errors.ts";
import type { KeyOwner } from "./repository.ts";

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** A key as the cache holds it: its owner, expiry and networks. */
export interface HeldKey extends KeyOwner {
  readonly networks: readonly Network[];
}

export function heldKey(owner: KeyOwner): HeldKey {
  return { ...owner, networks: owner.addresses.map(networkOf) };
}

/** Returns true if a key that is not revoked may be used at this time from this address. */
export function mayBeUsed({ expiresAtMs, networks }: HeldKey, nowMs: number, address: string): boolean {
  if (expiresAtMs !== null && nowMs >= expiresAtMs) return false;
  if (networks.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const from = ipaddr.process(address);
  return networks.some(([range, bits]) => from.kind() === range.kind() && from.match(range, bits));
}

/** Returns the addresses in the form that is stored. Error: invalid_request on addresses. */
export function readAddresses(given: readonly string[]): string[] {
  return given.map((text) => {
    const address = text.trim();
    if (!isAddress(address) && !isNetwork(address)) {
      throw invalidRequest(
        "addresses",
        `addresses must be IP addresses or networks such as 203.0.113.0/24: "${text}" is neither.`,
      );
    }
    return address;
  });
}

// ipaddr.js also accepts "127.1" and "0x7f000001", which in such a list are probably mistakes.
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

// IPv4 written as IPv6 is compared as IPv4, so a network of mapped addresses would never match.
function isNetwork(text: string): boolean {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return true;
  return ipaddr.IPv6.isValidCIDR(text) && ipaddr.IPv6.parseCIDR(text)[0].range() !== "ipv4Mapped";
}

function networkOf(text: string): Network {
  if (!text.includes("/")) {
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  }
  return ipaddr.parseCIDR(text);
}
