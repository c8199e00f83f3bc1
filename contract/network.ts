import ipaddr from "ipaddr.js";

// The prefix of one subscriber, and roughly that of one provider's customers in one place.
const SUBSCRIBER_BYTES = { ipv4: 4, ipv6: 8 } as const;
const NEIGHBOURHOOD_BYTES = { ipv4: 3, ipv6: 6 } as const;

// All text that is not an address counts as one network.
const UNKNOWN = "unknown";
const WITH_PORT = /^(?:\[(?<inBrackets>[^\]]*)\]|(?<ipv4>[^:]*))(?::\d{1,5})?$/;

/**
 * Returns the address in an entry as proxies write it, "192.0.2.1:443" and "[2001:db8::1]:443" too, or undefined if it
 * has none.
 */
export function addressIn(entry: string): string | undefined {
  const { inBrackets, ipv4 } = WITH_PORT.exec(entry)?.groups ?? {};
  if (ipv4 !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(ipv4) ? ipv4 : undefined;
  // A zone only names the proxy's interface.
  const ipv6 = (inBrackets ?? entry).replace(/%.*$/, "");
  return ipaddr.IPv6.isValid(ipv6) ? ipv6 : undefined;
}

/** Returns the IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  return prefixOf(address, SUBSCRIBER_BYTES);
}

/** Returns the /24 of an IPv4 address, or the /48 of an IPv6 address. */
export function neighbourhoodOf(address: string): string {
  return prefixOf(address, NEIGHBOURHOOD_BYTES);
}

function prefixOf(address: string, sizes: Readonly<Record<"ipv4" | "ipv6", number>>): string {
  if (!ipaddr.isValid(address)) return address === "" ? "" : UNKNOWN;
  const parsed = ipaddr.process(address);
  const bytes = sizes[parsed.kind()];
  if (bytes === SUBSCRIBER_BYTES.ipv4 && parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, bytes).join(".")}/${bytes * 8}`;
}
