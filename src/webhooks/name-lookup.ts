import { NODATA, Resolver } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";

const TRY_MS = 2000;
const TRIES = 2;
const LOOPBACK: LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * Returns a lookup that resolves names by DNS and not through the system. The system has few threads, and names whose
 * servers never answer would block all others. localhost is this machine, as RFC 6761 requires.
 */
export function nameLookup(servers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return (hostname, options, callback) => {
    void answer(resolver, hostname, options.all === true, callback);
  };
}

async function answer(
  resolver: Resolver,
  hostname: string,
  isAll: boolean,
  callback: Parameters<LookupFunction>[2],
): Promise<void> {
  let addresses: LookupAddress[];
  try {
    addresses = await addressesOf(resolver, hostname);
  } catch (error) {
    callback(asNameFailure(error as NodeJS.ErrnoException), []);
    return;
  }
  if (isAll) callback(null, addresses);
  else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
}

async function addressesOf(resolver: Resolver, hostname: string): Promise<LookupAddress[]> {
  const name = hostname.replace(/\.$/, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return LOOPBACK;
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
  // A name that is an alias of one without an address has an empty answer, and no failure.
  throw v4.status === "rejected"
    ? v4.reason
    : Object.assign(new Error(`${name} has no address`), { code: NODATA });
}

// Its own code would look like that of a connection timeout.
function asNameFailure(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  if (error.code === "ETIMEOUT") error.code = "EDNSTIMEOUT";
  return error;
}
