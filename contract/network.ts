import ipaddr from "ipaddr.js";

// What one subscriber holds, and about what one provider's customers in one place do.
const SUBSCRIBER_BYTES = { ipv4: 4, ipv6: 8 } as const;
const NEIGHBOURHOOD_BYTES = { ipv4: 3, ipv6: 6 } as const;

// What is no address, however it is written, is one network.
const UNKNOWN = "unknown";
const WITH_PORT = /^(?:\[(?<inBrackets>[^\]]*)\]|(?<ipv4>[^:]*))(?::\d{1,5})?$/;

/** The address in an entry as proxies write it, "192.0.2.1:443" and "[2001:db8::1]:443" too, or undefined. */
export function addressIn(entry: string): string | undefined {
  const { inBrackets, ipv4 } = WITH_PORT.exec(entry)?.groups ?? {};
  if (ipv4 !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(ipv4) ? ipv4 : undefined;
  // A zone says by which interface of the proxy it came.
  const ipv6 = (inBrackets ?? entry).replace(/%.*$/, "");
  return ipaddr.IPv6.isValid(ipv6) ? ipv6 : undefined;
}

/** The IPv4 address, or the /64 that an IPv6 address is in. */
export function networkOf(address: string): string {
  return prefixOf(address, SUBSCRIBER_BYTES);
}

/** The /24 that an IPv4 address is in, or the /48 that an IPv6 one is in. */
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
